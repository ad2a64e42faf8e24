// How far the audit log is hashed: the number and hash of the last hashed entry. It is stored apart from the hashes and
// updated in the same transaction, so that deleting the hashes does not cause old entries to be hashed again.
import type { Reader, Tx } from './database.ts';

export interface AuditMark {
  seq: number;
  hash: string;
}

const NOTHING: AuditMark = { seq: 0, hash: '' };

export const printMark = ({ seq, hash }: AuditMark): string => `${seq} ${hash}`;

/** Undefined if the text is not a mark. */
export function parseMark(text: string): AuditMark | undefined {
  const [, seq, hash] = /^(\d{1,15}) ([0-9a-f]{64})$/.exec(text.trim()) ?? [];
  return seq === undefined || hash === undefined ? undefined : { seq: Number(seq), hash };
}

/** The last entry that has, or had, a hash; its number is 0 before the first. Throws if the mark is damaged. */
export async function lastHashed(db: Reader): Promise<AuditMark> {
  const row = await db.get<{ mark: string | null; seq: number | null; hash: string | null }>(
    `SELECT (SELECT value FROM settings WHERE key = 'audit_mark') AS mark, last.audit_seq AS seq, last.hash AS hash
     FROM (SELECT 1 AS one) once
     LEFT JOIN (SELECT audit_seq, hash FROM audit_hashes ORDER BY audit_seq DESC LIMIT 1) last ON 1 = 1`,
  );
  const stored = row?.seq == null ? NOTHING : { seq: row.seq, hash: row.hash ?? '' };
  if (row?.mark == null) return stored;
  const mark = parseMark(row.mark);
  if (!mark) throw new DamagedMark('The setting audit_mark in the database was changed: it is no number and hash.');
  // An earlier version of the service, which has no mark, may have added hashes since.
  return mark.seq >= stored.seq ? mark : stored;
}

/** Its message explains the fault completely. */
export class DamagedMark extends Error {}

export const writeMark = (tx: Tx, mark: AuditMark) =>
  tx.run(
    "INSERT INTO settings (key, value) VALUES ('audit_mark', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    printMark(mark),
  );
