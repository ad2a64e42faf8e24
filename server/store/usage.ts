// What each account uses: one row a day, with the last reading of that day.
import { USED_BYTES } from './artifacts.ts';
import type { Database, Reader } from './database.ts';

export const DAY_MS = 24 * 60 * 60 * 1000;

export interface UsageRow {
  /** Days since the epoch, in UTC. */
  day: number;
  devices: number;
  artifact_bytes: number;
  output_bytes: number;
}

const PRESENT = `num_devices AS devices,
  ${USED_BYTES} AS artifact_bytes, output_bytes`;

/** Records what every account uses now. */
export const noteUsage = (db: Database, now: number): Promise<unknown> =>
  db.write((tx) =>
    tx.run(
      `INSERT INTO usage_days (account_id, day, devices, artifact_bytes, output_bytes)
       SELECT id, CAST(? AS BIGINT), ${PRESENT} FROM accounts WHERE true
       ON CONFLICT (account_id, day) DO UPDATE SET
         devices = excluded.devices, artifact_bytes = excluded.artifact_bytes, output_bytes = excluded.output_bytes`,
      Math.floor(now / DAY_MS),
    ),
  );

/** Newest first, starting with the current figures as those of today. */
export async function usageOf(db: Reader, accountId: number, days: number, now: number): Promise<UsageRow[]> {
  const today = Math.floor(now / DAY_MS);
  const present = await db.get<Omit<UsageRow, 'day'>>(`SELECT ${PRESENT} FROM accounts WHERE id = ?`, accountId);
  const earlier = await db.all<UsageRow>(
    `SELECT day, devices, artifact_bytes, output_bytes FROM usage_days
     WHERE account_id = ? AND day < ? AND day > ? ORDER BY day DESC`,
    accountId,
    today,
    today - days,
  );
  return present ? [{ day: today, ...present }, ...earlier] : earlier;
}

/** What an account uses, and its limits. */
export const limitsOf = (db: Reader, accountId: number) =>
  db.get<{ devices: number; artifact_bytes: number; most_devices: number; artifact_limit: number }>(
    `SELECT ${PRESENT}, max_devices AS most_devices, artifact_limit FROM accounts WHERE id = ?`,
    accountId,
  );
