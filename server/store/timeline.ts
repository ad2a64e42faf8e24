// What happened to a device, gathered from several tables, and the notes about it.
import { MOST_NOTES } from '#/contract/limits.ts';
import type { HashedRow } from './audit-log.ts';
import type { Reader, Tx } from './database.ts';
import { newId } from './ids.ts';
import { requireRoom } from './room.ts';

/** The newest events of a table before a time. */
export interface EventRange {
  before: number;
  limit: number;
}

export interface JobEvent {
  at: number;
  id: string;
  parent_id: string | null;
  name: string;
  /** '' when it was submitted. */
  status: string;
}

/** Submissions and ends of the device's jobs. */
export async function jobEvents(db: Reader, deviceSeq: number, { before, limit }: EventRange): Promise<JobEvent[]> {
  const job = `jobs.id, parents.id AS parent_id, jobs.name`;
  const from = 'FROM jobs LEFT JOIN jobs AS parents ON parents.seq = jobs.parent_seq WHERE jobs.device_seq = ?';
  const submitted = await db.all<JobEvent>(
    `SELECT jobs.created AS at, ${job}, '' AS status ${from} AND jobs.created < ? ORDER BY jobs.seq DESC LIMIT ?`,
    deviceSeq,
    before,
    limit,
  );
  const ended = await db.all<JobEvent>(
    `SELECT jobs.ended AS at, ${job}, jobs.status ${from} AND jobs.ended < ? ORDER BY jobs.ended DESC LIMIT ?`,
    deviceSeq,
    before,
    limit,
  );
  return [...submitted, ...ended];
}

type AuditRow = Pick<HashedRow, 'seq' | 'at' | 'actor' | 'action' | 'target'>;

// '/' follows '.' in ASCII, so these ranges match all actions of a kind.
const KEYS = "('device.rekey', 'device.rotate-key', 'device.take-key')";
const EDITS = {
  key: `action IN ${KEYS}`,
  tunnel: "action > 'tunnel.' AND action < 'tunnel/'",
  edit: `action NOT IN ${KEYS} AND NOT (action > 'note.' AND action < 'note/')
    AND NOT (action > 'tunnel.' AND action < 'tunnel/')`,
};

/** What people did to the device, with the current name of the tag if it is about one. Notes are listed separately. */
export const deviceEdits = (
  db: Reader,
  accountId: number,
  deviceId: string,
  { before, limit }: EventRange,
  kind: keyof typeof EDITS,
): Promise<(AuditRow & { tag: string | null })[]> =>
  db.all<AuditRow & { tag: string | null }>(
    `SELECT seq, at, actor, action, target, CASE WHEN action IN ('tag.attach', 'tag.detach') THEN (
         SELECT name FROM tags WHERE tags.account_id = audit.account_id AND target = tags.id || ' ' || ?1) END AS tag
     FROM audit_objects CROSS JOIN audit
     WHERE object = ?1 AND seq = audit_seq AND account_id = ?2 AND outcome = 'done'
       AND at < ?3 AND ${EDITS[kind]}
     ORDER BY audit_seq DESC LIMIT ?4`,
    deviceId,
    accountId,
    before,
    limit,
  );

/** Tunnels that its agent opened, and tunnels that ended. */
export const tunnelEvents = (
  db: Reader,
  accountId: number,
  deviceId: string,
  { before, limit }: EventRange,
): Promise<AuditRow[]> =>
  db.all<AuditRow>(
    `SELECT seq, at, actor, action, target FROM audit
     WHERE actor = ? AND account_id = ? AND ${EDITS.tunnel} AND at < ? ORDER BY seq DESC LIMIT ?`,
    `device:${deviceId}`,
    accountId,
    before,
    limit,
  );

export interface NoteRow {
  id: string;
  at: number;
  actor: string;
  text: string;
}

export async function insertNote(tx: Tx, deviceSeq: number, { at, actor, text }: Omit<NoteRow, 'id'>): Promise<string> {
  await requireRoom(
    tx,
    { most: MOST_NOTES, what: 'notes about this device', remedy: 'Delete notes that are no longer needed first.' },
    'notes WHERE device_seq = ?',
    deviceSeq,
  );
  const id = newId();
  await tx.run(
    'INSERT INTO notes (id, device_seq, at, actor, text) VALUES (?, ?, ?, ?, ?)',
    id,
    deviceSeq,
    at,
    actor,
    tx.dialect.storable(text.toWellFormed()),
  );
  return id;
}

export const notesOf = (db: Reader, deviceSeq: number, { before, limit }: EventRange): Promise<NoteRow[]> =>
  db.all<NoteRow>(
    'SELECT id, at, actor, text FROM notes WHERE device_seq = ? AND at < ? ORDER BY at DESC LIMIT ?',
    deviceSeq,
    before,
    limit,
  );

/** False if there is no such note. */
export const deleteNote = async (tx: Tx, deviceSeq: number, id: string): Promise<boolean> =>
  (await tx.run('DELETE FROM notes WHERE device_seq = ? AND id = ?', deviceSeq, id)).changes > 0;
