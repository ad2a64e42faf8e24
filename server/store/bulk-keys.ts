// The keys of devices created by a bulk action, kept until the caller who asked for them has read them. They are sealed
// with that caller's secret, so that neither the database nor a copy of it reveals them.
import type { Caller } from './caller.ts';
import type { Reader, Tx } from './database.ts';
import { openSeal } from './seal.ts';

const { seal, open } = openSeal('muster bulk keys');
const aboutOf = (bulkSeq: number) => `bulk ${bulkSeq}`;

type Owner = Pick<Caller, 'credential'> & { secret: string };

/** `keys` has one key for each item, in the same order. */
export const insertBulkKeys = (tx: Tx, bulkSeq: number, { credential, secret }: Owner, keys: readonly string[]) =>
  tx.run(
    'INSERT INTO bulk_keys (bulk_seq, owner, sealed) VALUES (?, ?, ?)',
    bulkSeq,
    credential,
    seal(secret, aboutOf(bulkSeq), keys.join(' ')),
  );

interface Row {
  bulk_seq: number;
  sealed: Uint8Array;
  previous_sealed: Uint8Array | null;
}

/** The keys in the order of their items; undefined if they were deleted, or if somebody else asked for them. */
export async function bulkKeys(
  db: Reader,
  bulkSeq: number,
  { credential, secret }: Owner,
): Promise<string[] | undefined> {
  const row = await db.get<Row>(
    'SELECT bulk_seq, sealed, previous_sealed FROM bulk_keys WHERE bulk_seq = ? AND owner = ?',
    bulkSeq,
    credential,
  );
  if (!row) return undefined;
  const about = aboutOf(bulkSeq);
  const keys = open(secret, about, row.sealed) ?? (row.previous_sealed && open(secret, about, row.previous_sealed));
  return keys?.split(' ');
}

/** Whose keys they are: the session or token that asked for them. */
export const ownerOfBulkKeys = async (db: Reader, bulkSeq: number): Promise<string | undefined> =>
  (await db.get<{ owner: string }>('SELECT owner FROM bulk_keys WHERE bulk_seq = ?', bulkSeq))?.owner;

export const deleteBulkKeys = (tx: Tx, bulkSeq: number) => tx.run('DELETE FROM bulk_keys WHERE bulk_seq = ?', bulkSeq);

/**
 * Deletes the keys of bulk actions that ended longer ago than `age`, or well after `now`, which means that the clock
 * was set.
 */
export const pruneBulkKeys = (tx: Tx, now: number, age: number) =>
  tx.run(
    `DELETE FROM bulk_keys WHERE EXISTS
       (SELECT 1 FROM bulk WHERE bulk.seq = bulk_keys.bulk_seq AND (bulk.ended <= ? OR bulk.ended >= ?))`,
    now - age,
    now + age,
  );

/**
 * Reseals the keys of a session when its value changes; requests already sent with the previous value can still open
 * them.
 */
export async function resealBulkKeys(tx: Tx, credential: string, before: string, after: string): Promise<void> {
  const rows = await tx.all<Row>('SELECT bulk_seq, sealed, previous_sealed FROM bulk_keys WHERE owner = ?', credential);
  for (const { bulk_seq: seq, sealed } of rows) {
    const keys = open(before, aboutOf(seq), sealed);
    if (keys !== undefined)
      await tx.run(
        'UPDATE bulk_keys SET previous_sealed = sealed, sealed = ? WHERE bulk_seq = ?',
        seal(after, aboutOf(seq), keys),
        seq,
      );
  }
}
