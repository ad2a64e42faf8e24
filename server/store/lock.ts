// Allows one service for each data folder: two would send the same jobs. The lock is the operating system's lock on a
// file, taken through SQLite. It ends with the process, however that ends, so a lock is never stale.
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ConfigError } from '../config-error.ts';
import { SQLITE, sqliteCode } from './system-fault.ts';

/** Locks the folder for this process; throws if another service is using it. */
export function lockFolder(folder: string): { release: () => void } {
  const file = path.join(folder, 'muster.lock');
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(file);
    // Nothing is ever written, so the lock works on a full disk.
    lock.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    // This read fails if another process has the lock.
    lock.prepare('SELECT count(*) FROM sqlite_schema').get();
  } catch (cause) {
    lock?.close();
    if (sqliteCode(cause) === SQLITE.BUSY)
      throw new ConfigError(
        `Another Muster service is using ${folder}: stop it first, or give this one a folder of its own with DATA_DIR.`,
      );
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError(
      `The lock file ${file} cannot be used (${why}): see that no Muster service uses that folder, delete the lock file, then start again.`,
    );
  }
  const held = lock;
  return { release: () => held.close() };
}
