// The devices of an account in creation order, in memory: the first one of page 4,000 is one array access, where SQL
// would count through 100,000 rows.
import { newId } from './ids.ts';
import type { Database, Tx } from './database.ts';

export interface DeviceOrder {
  count(accountId: number): Promise<number>;
  /** The seq of the device at `offset`, counted from 0. */
  at(accountId: number, offset: number): Promise<number | undefined>;
  /** These take effect when the unit of work is durable, and not at all if it is rolled back. */
  added(tx: Tx, accountId: number, seq: number): void;
  removed(tx: Tx, accountId: number, seq: number): void;
  /** The location of a device changed, so that cached answers about locations are stale. */
  moved(tx: Tx, accountId: number): void;
  /** Changes with every added, removed or moved device. */
  version(accountId: number): string;
}

interface Fleet {
  /** Read from the table at the first use. */
  seqs?: Promise<number[]>;
  changes: number;
}

export function openDeviceOrder(db: Database): DeviceOrder {
  const boot = newId();
  const fleets = new Map<number, Fleet>();
  const fleetOf = (accountId: number): Fleet => {
    let fleet = fleets.get(accountId);
    if (!fleet) fleets.set(accountId, (fleet = { changes: 0 }));
    return fleet;
  };
  const read = async (accountId: number): Promise<number[]> => {
    const rows = await db.all<{ seq: number }>('SELECT seq FROM devices WHERE account_id = ? ORDER BY seq', accountId);
    return rows.map(({ seq }) => seq);
  };
  const seqsOf = (accountId: number): Promise<number[]> => (fleetOf(accountId).seqs ??= read(accountId));
  /** The index of `seq`, or the one at which to insert it. */
  const indexOf = (seqs: number[], seq: number): number => {
    let low = 0;
    let high = seqs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((seqs[middle] ?? 0) < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const onCommit = (tx: Tx, accountId: number, change: (seqs: number[]) => void) =>
    tx.afterCommit(() => {
      const fleet = fleetOf(accountId);
      fleet.changes += 1;
      // Also of a list that is just being read, whether it has the change or not.
      void fleet.seqs?.then(change);
    });

  db.onUncertainty(() => {
    for (const fleet of fleets.values()) {
      fleet.changes += 1;
      delete fleet.seqs;
    }
  });

  return {
    count: async (accountId) => (await seqsOf(accountId)).length,
    at: async (accountId, offset) => (await seqsOf(accountId))[offset],
    added: (tx, accountId, seq) =>
      onCommit(tx, accountId, (seqs) => {
        const index = indexOf(seqs, seq);
        if (seqs[index] !== seq) seqs.splice(index, 0, seq);
      }),
    removed: (tx, accountId, seq) =>
      onCommit(tx, accountId, (seqs) => {
        const index = indexOf(seqs, seq);
        if (seqs[index] === seq) seqs.splice(index, 1);
      }),
    moved: (tx, accountId) => onCommit(tx, accountId, () => {}),
    version: (accountId) => `${boot}-${accountId}-${fleetOf(accountId).changes}`,
  };
}
