// One service for each data folder: two would hand out the same jobs. The lock is the system's lock on a file, held
// through SQLite; it goes when the process goes, however that ends, so there is no stale one to clean up.
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ConfigError } from '../config.ts';

/** Takes the folder for this process, or says who has it. */
export function lockFolder(folder: string): { release: () => void } {
  const lock = new DatabaseSync(path.join(folder, 'muster.lock'));
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch {
    lock.close();
    throw new ConfigError(
      `Another Muster service is using ${folder}: stop it first, or give this one a folder of its own with DATA_DIR.`,
    );
  }
  return { release: () => lock.close() };
}
