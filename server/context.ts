// Everything the service holds open, made in one order and closed in the reverse one. Tests make their own.
import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { openAudit } from './audit.ts';
import type { Audit } from './audit.ts';
import { openBackupSchedule } from './backup/schedule.ts';
import type { BackupSchedule } from './backup/schedule.ts';
import { openClock } from './clock.ts';
import type { Clock, TimeSource } from './clock.ts';
import { ConfigError } from './config.ts';
import type { Config } from './config.ts';
import { openDispatch } from './dispatch/dispatch.ts';
import type { Dispatch } from './dispatch/dispatch.ts';
import { openDownloads, setUpDownloadKey } from './downloads.ts';
import type { Downloads } from './downloads.ts';
import { log } from './log.ts';
import { openLink } from './link/link.ts';
import type { Link } from './link/link.ts';
import { FIRST_ACCOUNT, setUpFirstAccount } from './store/accounts.ts';
import { openArtifactFiles, requireDatabaseOfFiles } from './store/artifact-files.ts';
import type { ArtifactFiles } from './store/artifact-files.ts';
import { allArtifacts, wasArtifactDeleted } from './store/artifacts.ts';
import { openDatabase } from './store/database.ts';
import type { Database } from './store/database.ts';
import { openDeviceOrder } from './store/device-order.ts';
import type { DeviceOrder } from './store/device-order.ts';
import { markAllOffline } from './store/devices.ts';
import { lockFolder } from './store/lock.ts';
import { moveOpenTimes } from './store/open-times.ts';
import { makeSigninCode } from './store/sessions.ts';
import { instanceId } from './store/settings.ts';
import { markAllTunnelsDown } from './store/tunnels.ts';
import { openTunnels } from './tunnels/tunnels.ts';
import type { Tunnels } from './tunnels/tunnels.ts';
import { tunnelAddress } from './tunnels/address.ts';

/** What the start has to tell the operator. */
export interface Startup {
  /** Goes into the sign-in link; single use. */
  signinCode: string;
  /** The account's first token, at the one time it can be shown. */
  madeToken: string | undefined;
  /** AUTH_TOKEN names a token that was revoked: it opens nothing. */
  envTokenRevoked: boolean;
}

export interface Context {
  config: Config;
  /** Origin of the service as seen from outside; never taken from a request. Known once it listens. */
  publicUrl: string;
  clock: Clock;
  /** The clock's `now`: milliseconds since the epoch. */
  now: () => number;
  /** Of this installation; the same at every start. */
  instanceId: string;
  startup: Startup;
  db: Database;
  order: DeviceOrder;
  audit: Audit;
  files: ArtifactFiles;
  downloads: Downloads;
  dispatch: Dispatch;
  link: Link;
  tunnels: Tunnels;
  /** Where the service makes its own. */
  backups: BackupSchedule | undefined;
  /** Port on which HTTP tunnels are served; known once it listens. */
  tunnelPort: number;
  close(): Promise<void>;
}

/** Opens the store and all that lives on it. Nothing listens yet. */
export async function openContext(config: Config, { time }: { time?: TimeSource } = {}): Promise<Context> {
  makeFolder(config.dataDir);
  const lock = lockFolder(config.dataDir);
  try {
    const file = path.join(config.dataDir, 'muster.db');
    requireDatabaseOfFiles(config.dataDir, file);
    const db = openDatabase(file, {
      beforeNew: () => requireDatabaseOfFiles(config.dataDir, file, { isEmpty: true }),
    });
    const clock = await openClock({ db, time, moveTimes: moveOpenTimes, report: log.error });
    const { now } = clock;
    const { id, startup, downloadKey } = await db.write((tx) => {
      const { madeToken, envTokenRevoked } = setUpFirstAccount(tx, config, now());
      markAllOffline(tx);
      markAllTunnelsDown(tx);
      return {
        id: instanceId(tx),
        downloadKey: setUpDownloadKey(tx),
        startup: { madeToken, envTokenRevoked, signinCode: makeSigninCode(tx, FIRST_ACCOUNT, now()) },
      };
    });
    const audit = openAudit(now);
    const downloads = openDownloads(downloadKey, clock.unset);
    const files = openArtifactFiles({
      dataDir: config.dataDir,
      artifacts: allArtifacts(db),
      wasDeleted: (artifactId) => wasArtifactDeleted(db, artifactId),
    });
    const link = openLink({ db, now });
    const dispatch = openDispatch({
      db,
      link,
      audit,
      clock,
      files,
      publicUrl: () => context.publicUrl,
      artifactCommand: (artifact, where) => downloads.commandFor(artifact, where),
    });
    const tunnels = openTunnels({
      db,
      link,
      audit,
      clock,
      host: config.host,
      tcpPorts: config.tunnelTcpPorts,
      addressOf: (tunnel) => tunnelAddress(context, tunnel),
    });
    const context: Context = {
      config,
      publicUrl: config.publicUrl ?? '',
      clock,
      now,
      instanceId: id,
      startup,
      db,
      order: openDeviceOrder(db),
      audit,
      files,
      downloads,
      dispatch,
      link,
      tunnels,
      backups: openBackupSchedule({ config, clock }),
      tunnelPort: config.tunnelPort,
      close: async () => {
        context.backups?.close();
        await tunnels.close();
        await link.close();
        await clock.close();
        await db.close();
        lock.release();
      },
    };
    return context;
  } catch (cause) {
    lock.release();
    throw cause;
  }
}

/** Only the service's own user may look into its folder. */
export function makeFolder(folder: string): void {
  try {
    makeMissing(folder);
    accessSync(folder, constants.W_OK);
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
    throw new ConfigError(`DATA_DIR is "${folder}", but the service cannot make or write that folder${why}.`);
  }
}

/** Like mkdir with `recursive`, which never returns where a folder exists but takes no new ones (Node 24, under /proc). */
function makeMissing(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  if (path.dirname(folder) !== folder) makeMissing(path.dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}
