// Records who did what to which object, when and from where. The table is append-only; a row never contains a secret,
// and is written in the transaction that it records.
//
// Rows are never removed: they are short, and a log that the service itself can shorten proves little.
import type { AuditAction } from '#/contract/audit-actions.ts';
import type { Actor } from './caller.ts';
import type { Tx } from './database.ts';

export interface Audit {
  /** Records an action; `target` is the object's id. A removed object is found by its last name. */
  record(tx: Tx, caller: Actor, action: AuditAction, target: string, removedName?: string): Promise<void>;
  /** Records a refused request, possibly from an unknown client. */
  refused(tx: Tx, from: { actor: string; address: string }, action: AuditAction): Promise<void>;
}

const INSERT = `INSERT INTO audit (at, account_id, actor, address, action, target, outcome, bulk_id, removed_name)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;

export function openAudit(now: () => number): Audit {
  return {
    record: async (tx, { account, actor, address, bulkId = '' }, action, target, removedName = '') => {
      await tx.run(INSERT, now(), account.id, actor, address, action, target, 'done', bulkId, removedName);
    },
    refused: async (tx, { actor, address }, action) => {
      await tx.run(INSERT, now(), null, actor, address, action, '', 'refused', '', '');
    },
  };
}
