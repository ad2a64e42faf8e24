// Scheduled backups (BACKUP_DIR), of which the newest few are kept. The backup command makes each in a separate
// process, so that it neither delays the service nor can bring it down. With several nodes, the leader makes them.
// Artifacts in an S3 store are not copied, because copying all of them each time would cost more than people expect.
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import { log } from '../operation/log.ts';
import { PARTIAL } from './make-backup.ts';

export interface BackupSchedule {
  /** The times of the last success and the last failure since the start, in milliseconds since the epoch. */
  readonly last: { success: number | undefined; failure: number | undefined };
  close(): void;
}

interface ScheduleOptions {
  config: Pick<Config, 'dataDir' | 'databaseUrl' | 'backups' | 'artifactStore'>;
  clock: Pick<Clock, 'now' | 'steady'>;
  isLeader: () => boolean;
  lookEveryMs?: number;
}

const LOOK_EVERY_MS = 30_000;
const HOUR_MS = 3_600_000;
/** The names of files that this schedule counts and removes. */
const NAME = /^muster-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.tar$/;
const PROGRAM = path.join(import.meta.dirname, '../backup.ts');

/** Undefined if no schedule is set. */
export function openBackupSchedule({
  config: { dataDir, databaseUrl, backups, artifactStore },
  clock,
  isLeader,
  lookEveryMs = LOOK_EVERY_MS,
}: ScheduleOptions): BackupSchedule | undefined {
  if (!backups) return undefined;
  const { folder, everyMs, most } = backups;
  const last: { success: number | undefined; failure: number | undefined } = { success: undefined, failure: undefined };
  // By the monotonic clock, which cannot be set.
  let due = clock.steady() + untilDue(folder, everyMs, clock.now());
  let running: AbortController | undefined;

  const make = async () => {
    const time = new Date(clock.now()).toISOString().replaceAll(/[-:]|\.\d+/g, '');
    const file = path.join(folder, `muster-${time}.tar`);
    running = new AbortController();
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      // Files left by a power failure; no other program uses such names here.
      for (const name of readdirSync(folder))
        if (name.startsWith('muster-') && PARTIAL.test(name)) rmSync(path.join(folder, name));
      const warning = await runBackup(
        [file, ...(artifactStore ? ['--without-artifacts'] : [])],
        { DATA_DIR: dataDir, DATABASE_URL: databaseUrl?.href, ARTIFACT_STORE_URL: artifactStore?.address },
        running.signal,
      );
      last.success = clock.now();
      due = clock.steady() + everyMs;
      log.info('Made a backup.', { file });
      if (warning !== '') log.warn(warning, { file });
      for (const name of scheduled(folder).slice(most)) rmSync(path.join(folder, name));
    } catch (cause) {
      if (running.signal.aborted) return;
      last.failure = clock.now();
      due = clock.steady() + Math.min(everyMs, HOUR_MS);
      log.error('The scheduled backup failed.', undefined, {
        file,
        reason: cause instanceof Error ? cause.message : String(cause),
      });
    } finally {
      running = undefined;
    }
  };
  const timer = setInterval(() => {
    if (!running && clock.steady() >= due && isLeader()) void make();
  }, lookEveryMs).unref();

  return {
    last,
    close: () => {
      clearInterval(timer);
      running?.abort();
    },
  };
}

/** The backups in a folder, newest first. */
const scheduled = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => NAME.test(name))
    .sort()
    .toReversed();

/** The time until the next backup is due; 0 if there is no backup, or if the newest is from the future. */
function untilDue(folder: string, everyMs: number, now: number): number {
  let newest: string | undefined;
  try {
    [newest] = scheduled(folder);
  } catch {
    // The folder does not exist yet.
  }
  const made = newest === undefined ? Number.NaN : Date.parse(newest.replace(NAME, '$1-$2-$3T$4:$5:$6Z'));
  const age = now - made;
  return age >= 0 && age < everyMs ? everyMs - age : 0;
}

/** Runs the backup command, and resolves to its warnings. */
function runBackup(args: string[], settings: NodeJS.ProcessEnv, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    // The whole environment is passed on, because a PostgreSQL password may be in a variable or in a file below HOME.
    const env = { ...process.env, ...settings };
    execFile(process.execPath, [PROGRAM, ...args], { env, signal }, (error, _, stderr) => {
      const warning = stderr.trim();
      if (!error) resolve(warning);
      else reject(signal.aborted || warning === '' ? error : new Error(warning));
    });
  });
}
