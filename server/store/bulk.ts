// Bulk actions: what is done to which devices or jobs, the progress, and the outcome of each item.
import type { Bulk, BulkAction, BulkItem, BulkValues, NewBulkDevice } from '#/contract/bulk.ts';
import { newId } from './ids.ts';
import { notFound } from './errors.ts';
import type { Caller } from './caller.ts';
import { insertRow } from './database.ts';
import type { Reader, Tx } from './database.ts';
import { perDialect } from './dialect.ts';
import { beginnerOf } from './current-rights.ts';
import type { Beginner } from './current-rights.ts';
import { rightsOf } from './people.ts';
import { inGroups, isInScope } from './scope.ts';
import type { Scope } from './scope.ts';

export interface BulkRow extends Beginner {
  seq: number;
  id: string;
  account_id: number;
  action: BulkAction;
  of_what: Bulk['Of'];
  /** The request's Values, as JSON. */
  settings: string;
  address: string;
  state: Bulk['State'];
  /** All items below this number have an outcome. */
  next: number;
  total: number;
  done: number;
  failed: number;
  skipped: number;
  created: number;
  ended: number | null;
}

/** A device that is still to be created, with the hash of its key. */
export type StoredDraft = NewBulkDevice & { KeyHash: string };

/** The values that an action replaced and those that it set, by field. TagId: '' on the side without the tag. */
export type Earlier = { [Field in keyof BulkValues]?: [before: BulkValues[Field], after: BulkValues[Field]] };

/** The outcome of an item; see the contract. */
export interface ItemOutcome {
  /** The id of a created device. */
  id?: string;
  name: string;
  outcome: Exclude<BulkItem['Outcome'], 'Left'>;
  because: string;
  /** What undo needs. */
  earlier?: Earlier;
}

export const valuesOf = ({ settings }: BulkRow): BulkValues => JSON.parse(settings) as BulkValues;

/** The bulk with this id, or a 404 if the scope has none. */
export async function bulkById(db: Reader, scope: Scope, id: string): Promise<BulkRow> {
  const row = await db.get<BulkRow>('SELECT * FROM bulk WHERE id = ? AND account_id = ?', id, scope.accountId);
  if (!row || !(await isVisible(db, scope, row))) throw notFound('bulk', id);
  return row;
}

/**
 * Whether the scope sees a bulk action: it was begun by somebody whose groups are all in the scope, or everything that it
 * is done to is there now.
 */
async function isVisible(db: Reader, scope: Scope, row: BulkRow): Promise<boolean> {
  if (!scope.groups) return true;
  const { DeviceGroup } = valuesOf(row);
  if (DeviceGroup !== undefined && !isInScope(scope, DeviceGroup)) return false;
  if (rightsOf(row).groups?.every((group) => isInScope(scope, group))) return true;
  const own = inGroups(db.dialect, scope, 'v.grp');
  const isOutside = (seq: string) => `NOT EXISTS (SELECT 1 FROM devices v WHERE v.seq = ${seq}${own.sql})`;
  const outside =
    row.of_what === 'Devices'
      ? await db.get(
          `SELECT 1 FROM bulk_items i LEFT JOIN devices d ON d.id = i.object
           WHERE i.bulk_seq = ? AND ${isOutside('d.seq')} LIMIT 1`,
          row.seq,
          ...own.values,
        )
      : await db.get(
          `SELECT 1 FROM bulk_items i LEFT JOIN jobs j ON j.id = i.object
           WHERE i.bulk_seq = ? AND (j.seq IS NULL OR (j.device_seq IS NOT NULL AND ${isOutside('j.device_seq')})
             OR EXISTS (SELECT 1 FROM jobs c WHERE c.parent_seq = j.seq AND ${isOutside('c.device_seq')})) LIMIT 1`,
          row.seq,
          ...own.values,
          ...own.values,
        );
  return outside === undefined;
}

export const bulkBySeq = (db: Reader, seq: number): Promise<BulkRow | undefined> =>
  db.get<BulkRow>('SELECT * FROM bulk WHERE seq = ?', seq);

/** Newest first. */
export async function bulkOf(db: Reader, scope: Scope): Promise<BulkRow[]> {
  const rows = await db.all<BulkRow>('SELECT * FROM bulk WHERE account_id = ? ORDER BY seq DESC', scope.accountId);
  if (!scope.groups) return rows;
  const visible: BulkRow[] = [];
  for (const row of rows) if (await isVisible(db, scope, row)) visible.push(row);
  return visible;
}

export type RunningBulk = Pick<BulkRow, 'seq' | 'action'>;

/** The running bulk actions of all accounts. */
export const runningBulk = (db: Reader): Promise<RunningBulk[]> =>
  db.all<RunningBulk>("SELECT seq, action FROM bulk WHERE state = 'Running' ORDER BY seq");

/** Items from number `from` on, in order. */
export async function itemsFrom(db: Reader, seq: number, from: number, limit: number): Promise<BulkItem[]> {
  const rows = await db.all<BulkItem & { draft: string | null }>(
    `SELECT object AS "Id", name AS "Name", outcome AS "Outcome", because AS "Because", draft FROM bulk_items
     WHERE bulk_seq = ? AND number >= ? ORDER BY number LIMIT ?`,
    seq,
    from,
    limit,
  );
  return rows.map(({ draft, ...item }) => {
    if (draft === null) return item;
    const { KeyHash: _, ...Device } = JSON.parse(draft) as StoredDraft;
    return { ...item, Name: Device.DeviceName, Device };
  });
}

const INSERT_ITEMS = perDialect(
  (sql) => `INSERT INTO bulk_items (bulk_seq, number, object)
    SELECT CAST(? AS BIGINT), CAST(key AS BIGINT) - ?, value FROM ${sql.list('ids')}`,
);
const INSERT_DRAFTS = perDialect(
  (sql) => `INSERT INTO bulk_items (bulk_seq, number, object, draft)
    SELECT CAST(? AS BIGINT), CAST(key AS BIGINT) - ?, '', value FROM ${sql.list('drafts')}`,
);
/** SQLite counts the elements of a list from 0, PostgreSQL from 1. */
const FIRST_KEY = perDialect((sql) => `SELECT CAST(min(key) AS BIGINT) AS first FROM ${sql.list('ids')}`);

export interface NewBulk {
  caller: Pick<Caller, 'account' | 'actor' | 'address' | 'credential' | 'role' | 'groups'>;
  action: BulkAction;
  of: Bulk['Of'];
  values: BulkValues;
  /** Ids of existing devices or jobs, or drafts of new devices. */
  items: readonly string[] | readonly StoredDraft[];
  at: number;
}

export async function insertBulk(tx: Tx, { items, ...asked }: NewBulk): Promise<{ seq: number; id: string }> {
  const made = await insertWork(tx, { ...asked, total: items.length });
  const { first } = (await tx.get<{ first: number }>(FIRST_KEY(tx), '["one"]')) ?? { first: 0 };
  const texts = items.map((each) => tx.dialect.storable(typeof each === 'string' ? each : JSON.stringify(each)));
  const insertItems = asked.action === 'create' ? INSERT_DRAFTS : INSERT_ITEMS;
  await tx.run(insertItems(tx), made.seq, first, JSON.stringify(texts));
  return made;
}

/** Stores the undoing of what a bulk action changed; undefined if it changed nothing. */
export async function insertUndo(
  tx: Tx,
  undone: BulkRow,
  asked: Pick<NewBulk, 'caller' | 'at'>,
): Promise<{ seq: number; id: string; total: number } | undefined> {
  const { total = 0 } =
    (await tx.get<{ total: number }>(
      "SELECT count(*) AS total FROM bulk_items WHERE bulk_seq = ? AND outcome = 'Done' AND earlier IS NOT NULL",
      undone.seq,
    )) ?? {};
  if (total === 0) return undefined;
  const made = await insertWork(tx, { ...asked, action: 'undo', of: 'Devices', values: {}, total });
  await tx.run(
    `INSERT INTO bulk_items (bulk_seq, number, object, earlier)
     SELECT CAST(? AS BIGINT), row_number() OVER (ORDER BY number) - 1, object, earlier FROM bulk_items
     WHERE bulk_seq = ? AND outcome = 'Done' AND earlier IS NOT NULL`,
    made.seq,
    undone.seq,
  );
  return { ...made, total };
}

async function insertWork(
  tx: Tx,
  { caller, action, of, values, total, at }: Omit<NewBulk, 'items'> & { total: number },
): Promise<{ seq: number; id: string }> {
  const id = newId();
  const { credential, role, groups_json } = await beginnerOf(tx, caller);
  const seq = await insertRow(
    tx,
    `INSERT INTO bulk (id, account_id, action, of_what, settings, actor, address, state, total, created, credential, role,
       groups_json) VALUES (?, ?, ?, ?, ?, ?, ?, 'Running', ?, ?, ?, ?, ?)`,
    id,
    caller.account.id,
    action,
    of,
    tx.dialect.storable(JSON.stringify(values)),
    caller.actor,
    caller.address,
    total,
    at,
    credential,
    role,
    groups_json,
  );
  return { seq, id };
}

export interface PendingItem {
  number: number;
  object: string;
  draft: string | null;
  earlier: string | null;
}

/** The next items without an outcome. */
export const pendingItems = (db: Reader, { seq, next }: BulkRow, limit: number) =>
  db.all<PendingItem>(
    "SELECT number, object, draft, earlier FROM bulk_items WHERE bulk_seq = ? AND number >= ? AND outcome = 'Left' ORDER BY number LIMIT ?",
    seq,
    next,
    limit,
  );

/** The outcomes of one transaction, for `advance`. */
export type Tally = Record<ItemOutcome['outcome'], number>;
export const newTally = (): Tally => ({ Done: 0, Failed: 0, Skipped: 0 });

export async function setOutcome(
  tx: Tx,
  { seq }: { seq: number },
  number: number,
  { id, name, outcome, because, earlier }: ItemOutcome,
  tally: Tally,
): Promise<void> {
  await tx.run(
    `UPDATE bulk_items SET object = coalesce(?, object), name = ?, outcome = ?, because = ?, earlier = coalesce(?, earlier)
     WHERE bulk_seq = ? AND number = ?`,
    id ?? null,
    tx.dialect.storable(name),
    outcome,
    tx.dialect.storable(because.toWellFormed()),
    earlier === undefined ? null : tx.dialect.storable(JSON.stringify(earlier)),
    seq,
    number,
  );
  tally[outcome] += 1;
}

/** Adds the outcomes of one transaction to the counts, and ends the bulk action after its last item. */
export async function advance(tx: Tx, { seq }: { seq: number }, by: Tally, next: number, at: number): Promise<void> {
  await tx.run(
    'UPDATE bulk SET done = done + ?, failed = failed + ?, skipped = skipped + ?, next = ? WHERE seq = ?',
    by.Done,
    by.Failed,
    by.Skipped,
    next,
    seq,
  );
  await tx.run(
    "UPDATE bulk SET state = 'Done', ended = ? WHERE seq = ? AND state = 'Running' AND done + failed + skipped = total",
    at,
    seq,
  );
}

/** False if it had already ended. */
export const cancelBulk = async (tx: Tx, seq: number, at: number): Promise<boolean> =>
  (await tx.run("UPDATE bulk SET state = 'Cancelled', ended = ? WHERE seq = ? AND state = 'Running'", at, seq))
    .changes > 0;

/** Cancels a bulk action that may not go on; what is left of it says why. */
export async function giveUpBulk(tx: Tx, seq: number, because: string, at: number): Promise<void> {
  await tx.run("UPDATE bulk_items SET because = ? WHERE bulk_seq = ? AND outcome = 'Left'", because, seq);
  await cancelBulk(tx, seq, at);
}

/** Removes the oldest bulk action that ended before this time; false if there is none. */
export const pruneBulk = async (tx: Tx, before: number): Promise<boolean> =>
  (
    await tx.run(
      "DELETE FROM bulk WHERE seq = (SELECT seq FROM bulk WHERE state <> 'Running' AND ended < ? ORDER BY seq LIMIT 1)",
      before,
    )
  ).changes > 0;
