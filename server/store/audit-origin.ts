// Who created an object and who changed it last, and what a removed one was called, as the audit log has it.
import { kindOf } from './audit-scope.ts';
import type { AuditRow } from './audit-log.ts';
import type { Reader } from './database.ts';

const CREATING: ReadonlySet<string> = new Set([
  'device.create',
  'job.submit',
  'job.retry',
  'artifact.upload',
  'rollout.create',
]);
/** Kinds of actions that are about a device and change nothing of it. */
const BESIDE: ReadonlySet<string> = new Set(['note', 'tunnel']);
/** Newest entries among which the last change is looked for: an artifact may have been downloaded very often. */
const NEWEST = 50;

const entriesOf = (
  db: Reader,
  accountId: number,
  object: string,
  order: 'ASC' | 'DESC',
  limit: number,
): Promise<AuditRow[]> =>
  db.all<AuditRow>(
    `SELECT audit.* FROM audit_objects CROSS JOIN audit
     WHERE object = ? AND seq = audit_seq AND account_id = ? ORDER BY audit_seq ${order} LIMIT ?`,
    object,
    accountId,
    limit,
  );

const isByDevice = ({ actor }: AuditRow) => actor.startsWith('device:');
/** A retry is about the job that it repeats, and the new one after it. */
const creates = ({ action, target }: AuditRow, object: string) =>
  CREATING.has(action) && target.split(' ').at(-1) === object;
const isChange = (row: AuditRow) => !isByDevice(row) && !BESIDE.has(kindOf(row)) && !row.action.endsWith('.download');

/** @param keep leaves the entries that the caller may see */
export async function originOf(
  db: Reader,
  accountId: number,
  object: string,
  keep: (rows: AuditRow[]) => Promise<AuditRow[]>,
): Promise<{ created: AuditRow | undefined; changed: AuditRow | undefined }> {
  const [first] = await keep(await entriesOf(db, accountId, object, 'ASC', 1));
  const created = first && creates(first, object) && !isByDevice(first) ? first : undefined;
  const newest = await keep(await entriesOf(db, accountId, object, 'DESC', NEWEST));
  return { created, changed: newest.find((row) => row.seq !== created?.seq && isChange(row)) };
}

/** The entries that removed these objects, with the names that they had. */
export const removedObjects = async (
  db: Reader,
  accountId: number,
  ids: readonly string[],
): Promise<{ action: string; target: string; name: string }[]> =>
  ids.length === 0
    ? []
    : db.all(
        `SELECT action, target, removed_name AS name FROM audit
         WHERE ${db.dialect.among('target', `SELECT value FROM ${db.dialect.list('asked')}`)}
           AND +account_id = ? AND removed_name <> ''`,
        JSON.stringify(ids),
        accountId,
      );

/** The actor of the newest entry of this action about an object; also of one that was recorded just now. */
export async function lastActor(
  db: Reader,
  accountId: number,
  action: string,
  target: string,
): Promise<string | undefined> {
  // Objects of entries are noted with their hashes, a moment later.
  const recent = await db.all<AuditRow>(
    `SELECT * FROM audit WHERE seq > (SELECT coalesce(max(audit_seq), 0) FROM audit_hashes) AND account_id = ?
     ORDER BY seq DESC LIMIT ?`,
    accountId,
    NEWEST,
  );
  const entries = [...recent, ...(await entriesOf(db, accountId, target, 'DESC', NEWEST))];
  return entries.find((entry) => entry.action === action && entry.target === target)?.actor;
}
