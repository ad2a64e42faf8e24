// Whether the service stopped in order the last time, and what a start finds where it did not.
import type { Reader, Tx } from './database.ts';

/** What a start after a crash has put right. */
export interface Recovered {
  /** Of the write-ahead log: what was acknowledged and not yet in the database file. */
  logBytes: number;
  /** That were marked as connected. */
  devices: number;
  tunnels: number;
  /** That run, as far as is known: their devices say more when they are back. */
  jobs: number;
}

/** Notes that the service runs; true where that was noted already: it never came to its end. */
export const noteRunning = (tx: Tx): boolean =>
  tx.run("INSERT INTO settings (key, value) VALUES ('running', '1') ON CONFLICT (key) DO NOTHING").changes === 0;

export const noteStopped = (tx: Tx) => tx.run("DELETE FROM settings WHERE key = 'running'");

export const countRunning = (db: Reader): number =>
  db.get<{ count: number }>("SELECT count(*) AS count FROM jobs WHERE device_seq IS NOT NULL AND status = 'Running'")
    ?.count ?? 0;
