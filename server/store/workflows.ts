// Workflows: named commands.
import { MOST_WORKFLOWS } from '#/contract/limits.ts';
import type { Workflow, WorkflowDraft } from '#/contract/workflows.ts';
import { printSqlTime } from '#/contract/timestamps.ts';
import { newId } from './ids.ts';
import { notFound } from './errors.ts';
import type { Reader, Tx } from './database.ts';
import { requireRoom } from './room.ts';

interface Row {
  id: string;
  name: string;
  command: string;
  created: number;
}

const shown = ({ id, name, command, created }: Row): Workflow => ({
  WorkflowId: id,
  Name: name,
  Command: command,
  CreatedTime: printSqlTime(new Date(created)),
});

/** Oldest first. */
export const listWorkflows = async (db: Reader, accountId: number): Promise<Workflow[]> =>
  (
    await db.all<Row>('SELECT id, name, command, created FROM workflows WHERE account_id = ? ORDER BY seq', accountId)
  ).map(shown);

/** The account's workflow with this id, or a 404. */
export async function workflowById(db: Reader, accountId: number, id: string): Promise<Workflow> {
  const row = await db.get<Row>(
    'SELECT id, name, command, created FROM workflows WHERE id = ? AND account_id = ?',
    id,
    accountId,
  );
  if (!row) throw notFound('workflow', id);
  return shown(row);
}

/** Returns the new workflow's id. */
export async function insertWorkflow(
  tx: Tx,
  accountId: number,
  { Name, Command }: WorkflowDraft,
  now: number,
): Promise<string> {
  await requireRoom(
    tx,
    { most: MOST_WORKFLOWS, what: 'workflows', remedy: 'Delete workflows that are no longer needed first.' },
    'workflows WHERE account_id = ?',
    accountId,
  );
  const id = newId();
  await tx.run(
    'INSERT INTO workflows (id, account_id, name, command, created) VALUES (?, ?, ?, ?, ?)',
    id,
    accountId,
    Name.toWellFormed(),
    Command.toWellFormed(),
    now,
  );
  return id;
}

export async function deleteWorkflow(tx: Tx, accountId: number, id: string): Promise<void> {
  const { changes } = await tx.run('DELETE FROM workflows WHERE id = ? AND account_id = ?', id, accountId);
  if (changes === 0) throw notFound('workflow', id);
}
