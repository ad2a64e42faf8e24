// Submissions by their Idempotency-Key: one that a browser repeats after a lost answer takes effect once.
import { hash } from 'node:crypto';
import { Problem } from '../http/problem.ts';
import type { Reader, Tx } from './database.ts';

export interface Order {
  accountId: number;
  /** Undefined: a repeat counts as another submission. */
  key: string | undefined;
  /** The submission as JSON: the same key with another one is refused. */
  what: unknown;
}

const KEPT = 24 * 60 * 60 * 1000;

/** The id that this key created within a day; the same key with another submission is refused. */
function madeBefore(db: Reader, { accountId, key, what }: Order, now: number): string | undefined {
  if (key === undefined) return undefined;
  const order = db.get<{ digest: string; made: string }>(
    'SELECT digest, made FROM orders WHERE account_id = ? AND key = ? AND created > ?',
    accountId,
    key,
    now - KEPT,
  );
  if (order && order.digest !== digestOf(what))
    throw new Problem(409, 'This Idempotency-Key belongs to another order', 'Send a new key with each new order.');
  return order?.made;
}

/** Carries out a submission unless that was done before: `made` is the id that it created, now or then. */
export function once(tx: Tx, order: Order, now: number, carryOut: () => string): { made: string; again: boolean } {
  const before = madeBefore(tx, order, now);
  if (before !== undefined) return { made: before, again: true };
  const made = carryOut();
  if (order.key !== undefined) {
    tx.run('DELETE FROM orders WHERE created <= ?', now - KEPT);
    tx.run('INSERT INTO orders VALUES (?, ?, ?, ?, ?)', order.accountId, order.key, digestOf(order.what), made, now);
  }
  return { made, again: false };
}

/** Whether any submission with this key was carried out. */
export const isCarriedOut = (db: Reader, accountId: number, key: string | undefined): boolean =>
  key !== undefined && db.get('SELECT 1 FROM orders WHERE account_id = ? AND key = ?', accountId, key) !== undefined;

const digestOf = (what: unknown) => hash('sha256', JSON.stringify(what), 'base64url');
