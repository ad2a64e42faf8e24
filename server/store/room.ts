// Refuses what would exceed the limits of src/contract/limits.ts.
import { Conflict } from './errors.ts';
import type { SqlValue, Tx } from './database.ts';

/** Throws unless fewer than `most` rows match. `what` names them in the plural. */
export async function requireRoom(
  tx: Tx,
  { most, what, remedy }: { most: number; what: string; remedy: string },
  rows: string,
  ...values: SqlValue[]
): Promise<void> {
  const found = await tx.get<{ count: number }>(`SELECT count(*) AS count FROM ${rows}`, ...values);
  if ((found?.count ?? 0) >= most)
    throw new Conflict(`There are ${most} ${what} already, the most that can be`, remedy);
}
