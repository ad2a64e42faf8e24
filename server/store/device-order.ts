// The devices of a scope in creation order, in memory: finding the start of page 4,000 is one array access, where SQL
// would count through 100,000 rows.
import type { Database, Tx } from './database.ts';
import { DEVICES_MOVED, inGroups, scopeKey } from './scope.ts';
import type { Scope } from './scope.ts';

export interface DeviceOrder {
  /** The seqs of all devices in the scope. Use it at once, or copy it: later devices are appended to it. */
  seqs(scope: Scope): Promise<readonly number[]>;
  /** Call these in the unit of work that adds or removes a device, or changes its location. */
  added(tx: Tx, accountId: number): void;
  removed(tx: Tx, accountId: number): void;
  moved(tx: Tx, accountId: number): void;
  /** Changes with every device that is added to the scope, removed from it, or moved. */
  version(scope: Scope): Promise<string>;
}

/** The seqs as they were at these versions, or later. */
interface Fleet {
  additions: string;
  removals: string;
  seqs: Promise<number[]>;
}

/** The most fleets of limited roles in memory. */
const MAX_LIMITED = 50;

const additionsOf = (accountId: number) => `devices added/${accountId}`;
const removalsOf = (accountId: number) => `devices removed/${accountId}`;
const movesOf = (accountId: number) => `devices moved/${accountId}`;

/** What takes devices out of the scope, or puts earlier ones into it. */
const removalsFrom = ({ accountId, groups }: Scope): string[] =>
  groups ? [removalsOf(accountId), DEVICES_MOVED] : [removalsOf(accountId)];

export function openDeviceOrder(db: Database): DeviceOrder {
  const accounts = new Map<string, Fleet>();
  const limited = new Map<string, Fleet>();

  const readAfter = async (scope: Scope, seq: number): Promise<number[]> => {
    const own = inGroups(db.dialect, scope, 'grp');
    const index = scope.groups ? db.dialect.indexedBy('devices_of_group') : '';
    const sql = `SELECT seq FROM devices ${index} WHERE account_id = ? AND seq > ?${own.sql} ORDER BY seq`;
    return (await db.all<{ seq: number }>(sql, scope.accountId, seq, ...own.values)).map((row) => row.seq);
  };
  /** A new device has the highest seq, so that only removals need all of them to be read again. */
  const extend = async (scope: Scope, seqs: number[]): Promise<number[]> => {
    for (const seq of await readAfter(scope, seqs.at(-1) ?? 0)) seqs.push(seq);
    return seqs;
  };
  const seqsOf = async (scope: Scope): Promise<readonly number[]> => {
    const [additions, removals] = await Promise.all([
      db.version(additionsOf(scope.accountId)),
      db.version(...removalsFrom(scope)),
    ]);
    const fleets = scope.groups ? limited : accounts;
    const key = scopeKey(scope);
    const known = fleets.get(key);
    const isSame = known?.removals === removals;
    if (isSame && known.additions === additions) return known.seqs;
    const seqs = isSame ? known.seqs.then((before) => extend(scope, before)) : readAfter(scope, 0);
    const fleet = { additions, removals, seqs };
    fleets.delete(key);
    const [oldest] = limited.keys();
    if (fleets === limited && limited.size >= MAX_LIMITED && oldest !== undefined) limited.delete(oldest);
    fleets.set(key, fleet);
    // A failed read is repeated by the next request.
    seqs.catch(() => fleets.get(key) === fleet && fleets.delete(key));
    return seqs;
  };

  return {
    seqs: seqsOf,
    added: (tx, accountId) => tx.bump(additionsOf(accountId)),
    removed: (tx, accountId) => tx.bump(removalsOf(accountId)),
    moved: (tx, accountId) => tx.bump(movesOf(accountId)),
    version: (scope) => db.version(additionsOf(scope.accountId), ...removalsFrom(scope), movesOf(scope.accountId)),
  };
}
