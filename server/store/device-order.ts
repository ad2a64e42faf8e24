// The devices of an account in creation order, in memory: finding the start of page 4,000 is one array access, where
// SQL would count through 100,000 rows.
import type { Database, Tx } from './database.ts';

export interface DeviceOrder {
  /** The seq of the device at `offset`, counted from 0, and how many devices there are. */
  at(accountId: number, offset: number): Promise<{ seq: number | undefined; count: number }>;
  /** Call these in the unit of work that adds or removes a device, or changes its location. */
  added(tx: Tx, accountId: number): void;
  removed(tx: Tx, accountId: number): void;
  moved(tx: Tx, accountId: number): void;
  /** Changes with every added, removed or moved device. */
  version(accountId: number): Promise<string>;
}

/** The seqs as they were at these versions, or later. */
interface Fleet {
  additions: string;
  removals: string;
  seqs: Promise<number[]>;
}

const additionsOf = (accountId: number) => `devices added/${accountId}`;
const removalsOf = (accountId: number) => `devices removed/${accountId}`;
const movesOf = (accountId: number) => `devices moved/${accountId}`;

export function openDeviceOrder(db: Database): DeviceOrder {
  const fleets = new Map<number, Fleet>();

  const readAfter = async (accountId: number, seq: number): Promise<number[]> => {
    const sql = 'SELECT seq FROM devices WHERE account_id = ? AND seq > ? ORDER BY seq';
    return (await db.all<{ seq: number }>(sql, accountId, seq)).map((row) => row.seq);
  };
  /** A new device has the highest seq, so that only removals need all of them to be read again. */
  const extend = async (accountId: number, seqs: number[]): Promise<number[]> => {
    for (const seq of await readAfter(accountId, seqs.at(-1) ?? 0)) seqs.push(seq);
    return seqs;
  };
  const seqsOf = async (accountId: number): Promise<number[]> => {
    const [additions, removals] = await Promise.all([
      db.version(additionsOf(accountId)),
      db.version(removalsOf(accountId)),
    ]);
    const known = fleets.get(accountId);
    if (known?.additions === additions && known.removals === removals) return known.seqs;
    const seqs =
      known?.removals === removals ? known.seqs.then((before) => extend(accountId, before)) : readAfter(accountId, 0);
    const fleet = { additions, removals, seqs };
    fleets.set(accountId, fleet);
    // A failed read is repeated by the next request.
    seqs.catch(() => fleets.get(accountId) === fleet && fleets.delete(accountId));
    return seqs;
  };

  return {
    at: async (accountId, offset) => {
      const seqs = await seqsOf(accountId);
      return { seq: seqs[offset], count: seqs.length };
    },
    added: (tx, accountId) => tx.bump(additionsOf(accountId)),
    removed: (tx, accountId) => tx.bump(removalsOf(accountId)),
    moved: (tx, accountId) => tx.bump(movesOf(accountId)),
    version: (accountId) => db.version(additionsOf(accountId), removalsOf(accountId), movesOf(accountId)),
  };
}
