// Everything that the service has open, created in one order and closed in reverse. Tests create their own.
import path from 'node:path';
import { openEventFeed } from './api/event-feed.ts';
import type { EventFeed } from './api/event-feed.ts';
import { openAudit } from './store/audit.ts';
import { openAuditHashing } from './store/audit-log.ts';
import type { Audit } from './store/audit.ts';
import { openBulkRunner } from './actions/bulk-runner.ts';
import type { BulkRunner } from './actions/bulk-runner.ts';
import { openDeviceActions } from './actions/device-actions.ts';
import type { DeviceActions } from './actions/device-actions.ts';
import { openBackupSchedule } from './backup/schedule.ts';
import type { BackupSchedule } from './backup/schedule.ts';
import { openClock } from './clock.ts';
import type { Clock, TimeSource } from './clock.ts';
import type { Config } from './config.ts';
import { openAgentUpdates } from './jobs/agent-updates.ts';
import type { AgentUpdates } from './jobs/agent-updates.ts';
import { openDispatch } from './jobs/dispatch.ts';
import type { Dispatch } from './jobs/dispatch.ts';
import { openDownloads, setUpDownloadKey } from './jobs/downloads.ts';
import type { Downloads } from './jobs/downloads.ts';
import { joinCluster } from './cluster/join-cluster.ts';
import type { Cluster, ClusterOptions } from './cluster/cluster.ts';
import { openLink } from './agents/link.ts';
import type { Link } from './agents/link.ts';
import { openStore } from './open-store.ts';
import { openOutputRetention } from './output-retention.ts';
import type { OutputRetention } from './output-retention.ts';
import { openPublishedAgent } from './agents/published-agent.ts';
import type { PublishedAgent } from './agents/published-agent.ts';
import { FIRST_ACCOUNT, setUpFirstAccount } from './store/accounts.ts';
import type { ArtifactFiles } from './store/artifact-files.ts';
import { openArtifactFolder } from './store/artifact-folder.ts';
import type { ArtifactFolderOptions } from './store/artifact-folder.ts';
import { allArtifacts, wasArtifactDeleted } from './store/artifacts.ts';
import type { S3ArtifactsOptions } from './store/s3-artifacts.ts';
import type { Database, Tx } from './store/database.ts';
import { countRunning, recordRunning, recordStopped } from './store/last-run.ts';
import type { Recovered } from './store/last-run.ts';
import { openDeviceOrder } from './store/device-order.ts';
import type { DeviceOrder } from './store/device-order.ts';
import { markAllOffline } from './store/devices.ts';
import type { DiskSpace } from './store/disk-space.ts';
import { moveOpenTimes } from './store/open-times.ts';
import { newId } from './store/ids.ts';
import { createSigninCode } from './store/sessions.ts';
import { instanceId } from './store/settings.ts';
import { markAllTunnelsDown } from './store/tunnels.ts';
import { reportFault } from './http/system-fault.ts';
import { openTraffic, stopping } from './http/traffic.ts';
import type { Traffic } from './http/traffic.ts';
import { openNodeProofs } from './cluster/node-proof.ts';
import { loginProof, openRemoteTunnels } from './tunnels/remote-tunnels.ts';
import type { RemoteTunnels } from './tunnels/remote-tunnels.ts';
import { openTunnels } from './tunnels/tunnels.ts';
import type { Tunnels } from './tunnels/tunnels.ts';
import { tunnelAddress } from './tunnels/address.ts';

/** What the start reports to the operator. */
export interface Startup {
  /** Part of the sign-in link; single use. */
  signinCode: string;
  /** The account's first token, which can be shown only once. */
  createdToken: string | undefined;
  /** AUTH_TOKEN is a revoked token, which is not accepted. */
  envTokenRevoked: boolean;
  /** Set if the last run did not stop cleanly. */
  recovered: Recovered | undefined;
}

export interface Context {
  config: Config;
  /** Public origin of the service; never taken from a request. Known after listening. */
  publicUrl: string;
  /** Where other nodes reach this one. Known after listening. */
  nodeUrl: string;
  clock: Clock;
  /** The clock's `now`: milliseconds since the epoch. */
  now: () => number;
  /** Id of this installation; the same at every start. */
  instanceId: string;
  startup: Startup;
  db: Database;
  order: DeviceOrder;
  audit: Audit;
  disk: DiskSpace;
  retention: OutputRetention;
  files: ArtifactFiles;
  downloads: Downloads;
  dispatch: Dispatch;
  actions: DeviceActions;
  bulk: BulkRunner;
  events: EventFeed;
  /** The agent program for devices. */
  published: PublishedAgent;
  agentUpdates: AgentUpdates;
  cluster: Cluster;
  link: Link;
  tunnels: Tunnels;
  /** Of other nodes; undefined if there can be none. */
  remoteTunnels: RemoteTunnels | undefined;
  traffic: Traffic;
  /** Undefined if no schedule is set. */
  backups: BackupSchedule | undefined;
  /** Port of HTTP tunnels; known after listening. */
  tunnelPort: number;
  close(): Promise<void>;
}

/**
 * No agent is connected at the start of a service with an embedded database, whatever the tables contain. Undefined
 * after a clean stop.
 */
async function markAllDisconnected(tx: Tx, logBytes: number): Promise<Recovered | undefined> {
  const wasRunning = await recordRunning(tx);
  const devices = (await markAllOffline(tx)).changes;
  const tunnels = (await markAllTunnelsDown(tx)).changes;
  return wasRunning ? { logBytes, devices, tunnels, jobs: await countRunning(tx) } : undefined;
}

const AGENT_FILE = path.join(import.meta.dirname, '../dist/agent/agent.mjs');

/** Settings for tests. */
export interface ContextOptions {
  time?: TimeSource;
  /** The built agent program. */
  agentFile?: string;
  storeTimes?: S3ArtifactsOptions['times'];
  clusterTimes?: ClusterOptions['times'];
}

type FileOptions = Omit<S3ArtifactsOptions, 'store'> & Pick<ArtifactFolderOptions, 'isAlone'>;

async function openArtifactFiles({ artifactStore: store }: Config, options: FileOptions): Promise<ArtifactFiles> {
  if (!store) return openArtifactFolder(options);
  // Only a service that uses such a store loads its code.
  const { openS3Artifacts } = await import('./store/s3-artifacts.ts');
  return openS3Artifacts({ ...options, store });
}

/** Opens the store and everything that depends on it. Nothing listens yet. */
export async function openContext(
  config: Config,
  { time, agentFile = AGENT_FILE, storeTimes, clusterTimes }: ContextOptions = {},
): Promise<Context> {
  const store = await openStore(config);
  const { db, disk, shared } = store;
  let link: Link | undefined;
  let cluster: Cluster | undefined;
  try {
    const readOnly = disk.isReadOnly();
    const node = newId();
    const joined = (cluster = await joinCluster(config, store, {
      id: node,
      connected: () => link?.all() ?? [],
      sendAway: (withinMs) => link?.sendAway(withinMs),
      times: clusterTimes,
    }));
    const clock = await openClock({
      db,
      time,
      moveTimes: moveOpenTimes,
      report: reportFault,
      isKeeper: () => joined.isLeader(),
    });
    const { now } = clock;
    const traffic = openTraffic();
    const setUp = async (tx: Tx) => {
      const { createdToken, envTokenRevoked } = readOnly
        ? { createdToken: undefined, envTokenRevoked: false }
        : await setUpFirstAccount(tx, config, now());
      const recovered = readOnly || shared ? undefined : await markAllDisconnected(tx, store.logBytes);
      return {
        id: await instanceId(tx),
        downloadKey: await setUpDownloadKey(tx),
        startup: {
          createdToken,
          envTokenRevoked,
          recovered,
          signinCode: await createSigninCode(tx, FIRST_ACCOUNT, now()),
        },
      };
    };
    const { id, startup, downloadKey } = await db.write(setUp, { essential: true });
    const audit = openAudit(now);
    const downloads = openDownloads(downloadKey, clock.unset);
    const files = await openArtifactFiles(config, {
      dataDir: config.dataDir,
      instanceId: id,
      records: { all: () => allArtifacts(db), wasDeleted: (artifactId) => wasArtifactDeleted(db, artifactId) },
      readOnly,
      isAlone: joined.isAlone,
      times: storeTimes,
    }).catch(async (cause: unknown) => {
      // This start served nothing: the next one must not report a crash of it.
      if (!readOnly && !shared && !startup.recovered)
        await db.write(recordStopped, { essential: true }).catch(() => {});
      throw cause;
    });
    const opened = (link = openLink({
      db,
      node,
      now,
      refusal: () => (traffic.isDraining ? stopping() : disk.refusal()),
    }));
    const published = openPublishedAgent(agentFile);
    const dispatch = openDispatch({
      db,
      link,
      cluster,
      audit,
      clock,
      files,
      published,
      publicUrl: () => context.publicUrl,
      artifactCommand: (artifact, where) => downloads.commandFor(artifact, where),
    });
    const order = openDeviceOrder(db);
    const actions = openDeviceActions({ audit, order, dispatch });
    const secret = shared ? config.clusterSecret : undefined;
    const tunnels = openTunnels({
      db,
      link,
      cluster,
      audit,
      clock,
      host: config.host,
      tcpPorts: config.tunnelTcpPorts,
      addressOf: (tunnel) => tunnelAddress(context, { ...tunnel, nodeUrl: context.nodeUrl }),
      isShared: shared !== undefined,
      ...(secret !== undefined && { loginProof: (loginHash: string) => loginProof(secret, loginHash) }),
    });
    const auditHashing = openAuditHashing(db, () => disk.refusal() === undefined && joined.isLeader());
    const context: Context = {
      config,
      publicUrl: config.publicUrl ?? '',
      clock,
      now,
      instanceId: id,
      startup,
      db,
      order,
      audit,
      disk,
      files,
      downloads,
      dispatch,
      actions,
      bulk: openBulkRunner({ db, audit, now, actions, dispatch, readOnly, isLeader: () => joined.isLeader() }),
      events: openEventFeed({ db, now, mayPrune: () => !readOnly && joined.isLeader() }),
      published,
      agentUpdates: openAgentUpdates({ db, link, audit, now, published }),
      cluster,
      link,
      tunnels,
      remoteTunnels:
        secret === undefined
          ? undefined
          : openRemoteTunnels({
              db,
              node,
              secret,
              proofs: openNodeProofs(secret),
              local: (name) => tunnels.find(name),
            }),
      nodeUrl: config.nodeUrl ?? '',
      traffic,
      retention: await openOutputRetention({
        db,
        clock,
        readOnly,
        isLeader: () => joined.isLeader(),
        limitBytes: config.outputQuota,
        days: config.outputDays,
      }),
      backups: openBackupSchedule({ config, clock }),
      tunnelPort: config.tunnelPort,
      close: async () => {
        context.backups?.close();
        context.retention.close();
        await context.events.close();
        await auditHashing.close();
        await context.bulk.close();
        await tunnels.close();
        context.remoteTunnels?.close();
        await opened.close();
        await files.close();
        await clock.close();
        await joined.close();
        // If the stop cannot be recorded (a full disk), the next start reports a crash.
        if (!readOnly && !shared) await db.write(recordStopped, { essential: true }).catch(() => {});
        await store.release();
      },
    };
    return context;
  } catch (cause) {
    await cluster?.close();
    await store.release();
    throw cause;
  }
}
