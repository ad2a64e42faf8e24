// Runs units of work one after the other. Units that arrive together share one durable commit (a "group commit"): one
// flush to disk completes all of them, and each still succeeds or fails on its own.
import { Counter, Histogram } from 'prom-client';
import { Unavailable } from './errors.ts';
import type { Database, SqlValue, Tx, WriteOptions } from './database.ts';

/** An engine's one connection for units of work. */
export interface Writer extends Pick<Tx, 'dialect' | 'get' | 'all' | 'run'> {
  /** False if another process has locked the database, so that the attempt has to be repeated. */
  begin(): Promise<boolean>;
  /** Marks the start of a unit; `release` ends it, `undo` rolls it back. */
  save(): Promise<void>;
  release(): Promise<void>;
  undo(): Promise<void>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
  /** Engines sometimes end a transaction on their own, which loses all of its units. */
  isInTransaction(): boolean;
  /** Describes a fault for clients; returns other errors unchanged. */
  describeError(cause: unknown): unknown;
  /** Why only essential writes are currently possible. */
  refusal?(): Unavailable | undefined;
  /** Called at the end of a transaction with what its units changed. */
  beforeCommit?(tx: Tx, changes: Changes): Promise<void>;
  /** Called after a transaction was lost; true if its essential units are worth a second attempt. */
  recover?(cause: unknown): boolean;
  /** Called after each transaction. */
  ended?(): void;
}

/** What units of work changed; see Tx. */
export interface Changes {
  /** Written tables and bumped names. */
  names: Set<string>;
  deviceSeqs: Set<number>;
}

/** What a unit returned, and the effects to run once it is durable. */
interface Result extends Changes {
  value: unknown;
  effects: (() => void)[];
}

interface Waiting {
  unit: (tx: Tx) => unknown;
  essential: boolean;
  patient: boolean;
  /** Whether this is the second attempt. */
  isRepeated: boolean;
  resolve: (value: never) => void;
  reject: (cause: unknown) => void;
}

const commits = new Counter({ name: 'muster_db_commits', help: 'Transactions that were committed.' });
const batches = new Histogram({
  name: 'muster_db_batch_writes',
  help: 'Writes that shared a transaction.',
  buckets: [1, 2, 5, 10, 50, 200],
});

/** The turns of the event loop during which more writes may join before they run. */
const MAX_GATHER_TURNS = 2;
/** The longest time that one shared transaction may take. */
const LONGEST_BATCH_MS = 20;
const BUSY_RETRY_MS = 20;

/** Finds the table that a statement changes. */
const WRITING = /^\s*(?:INSERT(?: OR \w+)? INTO|UPDATE|DELETE FROM)\s+(\w+)/i;

export type WriteQueue = Pick<Database, 'write' | 'waiting' | 'onSyncAgents'> & {
  /** How many transactions of this process changed these names in total. */
  changesOf(names: string[]): number;
  /** Refuses further writes, and waits for the queued ones. */
  end(): Promise<void>;
};

export function openWriteQueue(writer: Writer): WriteQueue {
  const counts = new Map<string, number>();
  const syncListeners: ((deviceSeqs: number[]) => void)[] = [];
  let queue: Waiting[] = [];
  let scheduled = false;
  let closed = false;
  const whenIdle: (() => void)[] = [];

  const schedule = () => {
    if (scheduled) return;
    scheduled = true;
    gather(0);
  };
  // Clients that were answered after the last commit send their next write immediately. As long as each turn brings
  // more writes, they share a commit.
  const gather = (turns: number) => {
    const before = queue.length;
    setImmediate(() => (queue.length > before && turns < MAX_GATHER_TURNS ? gather(turns + 1) : void flush()));
  };
  const becomeIdle = () => {
    scheduled = false;
    if (queue.length > 0) return schedule();
    for (const notify of whenIdle.splice(0)) notify();
  };

  /** Runs one unit between savepoints; its effects run after the commit. */
  const run = async (unit: Waiting['unit']): Promise<Result> => {
    const effects: (() => void)[] = [];
    const names = new Set<string>();
    const deviceSeqs = new Set<number>();
    let live = true;
    const check = (sql: string) => {
      if (!live) throw new TypeError('A transaction was used after its unit of work had ended');
      const table = WRITING.exec(sql)?.[1];
      if (table !== undefined) names.add(table);
    };
    const tx: Tx = {
      dialect: writer.dialect,
      get: async <T>(sql: string, ...args: SqlValue[]) => (check(sql), writer.get<T>(sql, ...args)),
      all: async <T>(sql: string, ...args: SqlValue[]) => (check(sql), writer.all<T>(sql, ...args)),
      run: async (sql, ...args) => (check(sql), writer.run(sql, ...args)),
      afterCommit: (effect) => void effects.push(effect),
      bump: (name) => void names.add(name),
      syncAgents: (...seqs) => {
        for (const seq of seqs) deviceSeqs.add(seq);
      },
    };
    await writer.save();
    try {
      const value = await unit(tx);
      await writer.release();
      return { value, effects, names, deviceSeqs };
    } catch (cause) {
      // Statements that the unit sent at the same time as the failed one must not run after it was undone.
      live = false;
      if (writer.isInTransaction()) await writer.undo();
      throw cause;
    } finally {
      live = false;
    }
  };

  const flush = async (): Promise<void> => {
    try {
      if (!(await writer.begin())) {
        setTimeout(() => void flush(), BUSY_RETRY_MS);
        return;
      }
    } catch (cause) {
      for (const { reject } of queue.splice(0)) reject(writer.describeError(cause));
      return becomeIdle();
    }
    const refusal = writer.refusal?.();
    if (refusal) {
      for (const { essential, reject } of queue) if (!essential) reject(refusal);
      queue = queue.filter(({ essential }) => essential);
    }

    const started = performance.now();
    const done: (Waiting & Result)[] = [];
    const lost: { cause?: unknown; units: Waiting[] } = { units: [] };
    // Other units must not wait for a patient one in the same transaction.
    const mayJoin = () => queue[0]?.patient !== true || done.length === 0;
    for (let waiting; mayJoin() && (waiting = queue.shift());) {
      try {
        done.push({ ...waiting, ...(await run(waiting.unit)) });
      } catch (cause) {
        if (!writer.isInTransaction()) {
          lost.cause = cause;
          lost.units.push(...done, waiting);
          break;
        }
        waiting.reject(writer.describeError(cause));
      }
      if (performance.now() - started > LONGEST_BATCH_MS) break;
    }
    const changes = allChanges(done);
    if (lost.units.length === 0)
      try {
        if (done.length > 0 && writer.beforeCommit) await run((tx) => writer.beforeCommit?.(tx, changes));
        await writer.commit();
      } catch (cause) {
        lost.cause = cause;
        lost.units.push(...done);
        await writer.rollback();
      }
    // Also after a failed commit, which may have taken place.
    for (const name of changes.names) counts.set(name, (counts.get(name) ?? 0) + 1);
    if (lost.units.length > 0) handleLost(lost.units, lost.cause);
    else {
      commits.inc();
      batches.observe(done.length);
      for (const { effects } of done) for (const effect of effects) effect();
      for (const { resolve, value } of done) resolve(value as never);
    }
    if (changes.deviceSeqs.size > 0) for (const listener of syncListeners) listener([...changes.deviceSeqs]);
    writer.ended?.();
    becomeIdle();
  };

  /**
   * Handles units whose transaction was lost: rejects them, or returns those that may be repeated to the front of the
   * queue.
   */
  const handleLost = (units: Waiting[], cause: unknown) => {
    const mayRepeat = writer.recover?.(cause) ?? false;
    const repeated = units.filter(({ essential, isRepeated }) => mayRepeat && essential && !isRepeated);
    for (const waiting of units) if (!repeated.includes(waiting)) waiting.reject(writer.describeError(cause));
    queue = [...repeated.map((waiting) => ({ ...waiting, isRepeated: true })), ...queue];
  };

  return {
    write: <T>(unit: (tx: Tx) => T | Promise<T>, { essential = false, patient = false }: WriteOptions = {}) =>
      new Promise<T>((resolve, reject) => {
        if (closed) return reject(new Unavailable('The service is stopping', 'Try again when it is back.'));
        queue.push({ unit, essential, patient, isRepeated: false, resolve, reject });
        schedule();
      }),
    waiting: () => queue.length,
    changesOf: (names) => names.reduce((sum, name) => sum + (counts.get(name) ?? 0), 0),
    onSyncAgents: (listener) => void syncListeners.push(listener),
    end: async () => {
      closed = true;
      if (scheduled) await new Promise<void>((resolve) => whenIdle.push(resolve));
    },
  };
}

function allChanges(done: Changes[]): Changes {
  const all: Changes = { names: new Set(), deviceSeqs: new Set() };
  for (const { names, deviceSeqs } of done) {
    for (const name of names) all.names.add(name);
    for (const seq of deviceSeqs) all.deviceSeqs.add(seq);
  }
  return all;
}
