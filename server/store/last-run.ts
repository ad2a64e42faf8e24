// Detects at a start whether the last run stopped cleanly.
import type { Reader, Tx } from './database.ts';

/** What was recovered at a start after a crash. */
export interface Recovered {
  /** The size of the write-ahead log in bytes: acknowledged writes that were not in the database file yet. */
  logBytes: number;
  /** Devices and tunnels that were marked as connected. */
  devices: number;
  tunnels: number;
  /** Jobs that were running; their devices report more when they reconnect. */
  jobs: number;
}

/**
 * Records that the service is running; true if that was already recorded, which means that the last run did not stop
 * cleanly.
 */
export const recordRunning = async (tx: Tx): Promise<boolean> =>
  (await tx.run("INSERT INTO settings (key, value) VALUES ('running', '1') ON CONFLICT (key) DO NOTHING")).changes ===
  0;

export const recordStopped = (tx: Tx) => tx.run("DELETE FROM settings WHERE key = 'running'");

export const countRunning = async (db: Reader): Promise<number> =>
  (
    await db.get<{ count: number }>(
      "SELECT count(*) AS count FROM jobs WHERE device_seq IS NOT NULL AND status = 'Running'",
    )
  )?.count ?? 0;
