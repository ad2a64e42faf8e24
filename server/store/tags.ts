// Tags of an account, which any number of its devices can have.
import { MOST_TAGS } from '#/contract/limits.ts';
import type { Tag } from '#/contract/tags.ts';
import { newId } from './ids.ts';
import { Conflict, notFound, Refusal } from './errors.ts';
import type { Reader, Tx } from './database.ts';
import { requireRoom } from './room.ts';

export const listTags = (db: Reader, accountId: number): Promise<Tag[]> =>
  db.all<Tag>(
    'SELECT id AS "TagId", name AS "TagName" FROM tags WHERE account_id = ? ORDER BY created, rowid',
    accountId,
  );

/** Returns the new tag's id. */
export async function insertTag(tx: Tx, accountId: number, name: string, now: number): Promise<string> {
  await requireRoom(
    tx,
    { most: MOST_TAGS, what: 'tags', remedy: 'Delete tags that are no longer needed first.' },
    'tags WHERE account_id = ?',
    accountId,
  );
  const id = newId();
  const { changes } = await tx.run(
    'INSERT INTO tags (id, account_id, name, created) VALUES (?, ?, ?, ?) ON CONFLICT (account_id, name) DO NOTHING',
    id,
    accountId,
    name.toWellFormed(),
    now,
  );
  if (changes === 0) throw new Conflict(`There is a tag "${name}" already`, 'Use that one, or choose another name.');
  return id;
}

/** The id of a tag, or why it cannot be created. */
export type TagOrRefusal = string | Refusal;

/** Finds or creates the tags with these names; `created` is called with the id of each new tag. */
export async function ensureTags(
  tx: Tx,
  accountId: number,
  names: Iterable<string>,
  { now, created }: { now: number; created: (id: string) => Promise<void> },
): Promise<Map<string, TagOrRefusal>> {
  const tags = new Map<string, TagOrRefusal>();
  for (const name of new Set(names)) {
    const sql = 'SELECT id FROM tags WHERE account_id = ? AND name = ?';
    const known = await tx.get<{ id: string }>(sql, accountId, name.toWellFormed());
    if (known) {
      tags.set(name, known.id);
      continue;
    }
    try {
      const id = await insertTag(tx, accountId, name, now);
      await created(id);
      tags.set(name, id);
    } catch (cause) {
      if (!(cause instanceof Refusal)) throw cause;
      tags.set(name, cause);
    }
  }
  return tags;
}

/** Deletes a tag, also from every device. */
export async function deleteTag(tx: Tx, accountId: number, id: string): Promise<void> {
  const { changes } = await tx.run('DELETE FROM tags WHERE id = ? AND account_id = ?', id, accountId);
  if (changes === 0) throw notFound('tag', id);
}

/** Throws a 404 unless the account has a tag with this id. */
export async function requireTag(db: Reader, accountId: number, id: string): Promise<void> {
  if (!(await db.get('SELECT 1 FROM tags WHERE id = ? AND account_id = ?', id, accountId))) throw notFound('tag', id);
}

export const hasTag = async (db: Reader, deviceSeq: number, tagId: string): Promise<boolean> =>
  (await db.get('SELECT 1 FROM device_tags WHERE device_seq = ? AND tag_id = ?', deviceSeq, tagId)) !== undefined;

/** Attaching a tag twice has no effect. */
export const attachTag = (tx: Tx, deviceSeq: number, tagId: string) =>
  tx.run('INSERT INTO device_tags (device_seq, tag_id) VALUES (?, ?) ON CONFLICT DO NOTHING', deviceSeq, tagId);

export const detachTag = (tx: Tx, deviceSeq: number, tagId: string) =>
  tx.run('DELETE FROM device_tags WHERE device_seq = ? AND tag_id = ?', deviceSeq, tagId);
