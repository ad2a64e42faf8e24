// Who did what to which object, when and from where. Rows are only ever added (the table refuses the rest), never hold
// a secret, and are written in the same transaction as what they record.
//
// It is never trimmed: its rows are short (a few words and an id), and a log that the service itself can shorten proves
// little.
import type { Caller } from '../http/caller.ts';
import type { Tx } from './database.ts';

export interface Audit {
  /** Notes one act. `action` reads like `device.create`; `target` is the id it was done to. */
  record(tx: Tx, caller: Caller, action: string, target: string): void;
  /** Notes an attempt that was refused, by somebody who may not be known. */
  refused(tx: Tx, from: { actor: string; address: string }, action: string): void;
}

const INSERT =
  'INSERT INTO audit (at, account_id, actor, address, action, target, outcome) VALUES (?, ?, ?, ?, ?, ?, ?)';

export function openAudit(now: () => number): Audit {
  return {
    record: (tx, { account, actor, address }, action, target) => {
      tx.run(INSERT, now(), account.id, actor, address, action, target, 'done');
    },
    refused: (tx, { actor, address }, action) => {
      tx.run(INSERT, now(), null, actor, address, action, '', 'refused');
    },
  };
}
