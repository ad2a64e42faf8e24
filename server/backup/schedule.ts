// Backups by themselves (BACKUP_DIR): one every so often, the newest few kept. Each is made by the command that a
// person would use, in a process of its own, so that the service is not held up and what goes wrong stays there.
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import { log } from '../operation/log.ts';
import { PARTIAL } from './make-backup.ts';

export interface BackupSchedule {
  /** Milliseconds since the epoch of the last one that was made, and of the last that failed, since the start. */
  readonly last: { success: number | undefined; failure: number | undefined };
  close(): void;
}

interface ScheduleOptions {
  config: Pick<Config, 'dataDir' | 'backups'>;
  clock: Pick<Clock, 'now' | 'steady'>;
  lookEveryMs?: number;
}

const LOOK_EVERY_MS = 30_000;
const HOUR_MS = 3_600_000;
/** Of the files in the folder, those that are ours to count and to remove. */
const NAME = /^muster-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.tar$/;
const PROGRAM = path.join(import.meta.dirname, '../backup.ts');

/** Undefined where no schedule is set. */
export function openBackupSchedule({
  config: { dataDir, backups },
  clock,
  lookEveryMs = LOOK_EVERY_MS,
}: ScheduleOptions): BackupSchedule | undefined {
  if (!backups) return undefined;
  const { folder, everyMs, most } = backups;
  const last: { success: number | undefined; failure: number | undefined } = { success: undefined, failure: undefined };
  /** By the steady count: a clock that is set makes none early or late. */
  let due = clock.steady() + untilDue(folder, everyMs, clock.now());
  let running: AbortController | undefined;

  const make = async () => {
    const time = new Date(clock.now()).toISOString().replaceAll(/[-:]|\.\d+/g, '');
    const file = path.join(folder, `muster-${time}.tar`);
    running = new AbortController();
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      // What a power failure left behind; no other program writes such names here.
      for (const name of readdirSync(folder))
        if (name.startsWith('muster-') && PARTIAL.test(name)) rmSync(path.join(folder, name));
      const warning = await runBackup(file, dataDir, running.signal);
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
    if (!running && clock.steady() >= due) void make();
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

/** How long the newest backup is good for; none at all, or one from a time to come, is not. */
function untilDue(folder: string, everyMs: number, now: number): number {
  let newest: string | undefined;
  try {
    [newest] = scheduled(folder);
  } catch {
    // There is no such folder yet.
  }
  const made = newest === undefined ? Number.NaN : Date.parse(newest.replace(NAME, '$1-$2-$3T$4:$5:$6Z'));
  const age = now - made;
  return age >= 0 && age < everyMs ? everyMs - age : 0;
}

/** Resolves to what it warned of. */
function runBackup(file: string, dataDir: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env['PATH'], DATA_DIR: dataDir };
    execFile(process.execPath, [PROGRAM, file], { env, signal }, (error, _, stderr) => {
      const warning = stderr.trim();
      if (!error) resolve(warning);
      else reject(signal.aborted || warning === '' ? error : new Error(warning));
    });
  });
}
