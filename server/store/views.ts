// Saved views of the device list: shared within an account, or private.
import { fold } from '#/contract/fold.ts';
import type { Reader, Tx } from './database.ts';

export interface ViewRow {
  name: string;
  query: string;
  /** '' for a shared view. */
  owner: string;
  changed_by: string;
  changed: number;
  made_by: string;
}

/** The views that a person sees, sorted by name. A private view hides a shared one with the same name. */
export async function viewsOf(db: Reader, accountId: number, person: string): Promise<ViewRow[]> {
  const rows = await db.all<ViewRow & { folded: string }>(
    `SELECT name, query, owner, changed_by, changed, made_by, folded FROM views
     WHERE account_id = ? AND owner IN ('', ?) ORDER BY folded, owner`,
    accountId,
    person,
  );
  return rows.filter(({ folded }, at) => rows[at + 1]?.folded !== folded);
}

/** The shared view of this name, even where a private one hides it. */
export const sharedView = (db: Reader, accountId: number, name: string): Promise<ViewRow | undefined> =>
  db.get<ViewRow>(
    `SELECT name, query, owner, changed_by, changed, made_by FROM views WHERE account_id = ? AND owner = '' AND folded = ?`,
    accountId,
    fold(name),
  );

/** The number of views of one owner. */
export const countViews = async (db: Reader, accountId: number, owner: string): Promise<number> =>
  (
    await db.get<{ views: number }>(
      'SELECT count(*) AS views FROM views WHERE account_id = ? AND owner = ?',
      accountId,
      owner,
    )
  )?.views ?? 0;

/** Whoever saves it first is its maker. */
export const saveView = (tx: Tx, accountId: number, view: Omit<ViewRow, 'made_by'>) =>
  tx.run(
    `INSERT INTO views (account_id, owner, folded, name, query, changed_by, changed, made_by)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?6)
     ON CONFLICT (account_id, owner, folded) DO UPDATE SET
       name = excluded.name, query = excluded.query, changed_by = excluded.changed_by, changed = excluded.changed`,
    accountId,
    view.owner,
    fold(view.name),
    view.name,
    view.query,
    view.changed_by,
    view.changed,
  );

/** False if there is no such view. */
export async function deleteView(tx: Tx, accountId: number, { owner, name }: Pick<ViewRow, 'owner' | 'name'>) {
  const { changes } = await tx.run(
    'DELETE FROM views WHERE account_id = ? AND owner = ? AND folded = ?',
    accountId,
    owner,
    fold(name),
  );
  return changes > 0;
}
