// The embedded database. Writes that arrive together share one durable commit (a "group commit"): one flush to disk
// completes all of them, and each still succeeds or fails alone.
import type { SQLInputValue, StatementSync } from 'node:sqlite';
import { log } from '../operation/log.ts';
import { openCounter, openHistogram } from '../operation/metrics.ts';
import { Problem } from '../http/problem.ts';
import { diskFull, isFull, SQLITE, sqliteCode, systemFault } from '../http/system-fault.ts';
import { openDatabaseFile } from './database-file.ts';
import type { DatabaseKind, FileOptions } from './database-file.ts';
import { migrations } from './migrations.ts';
import { makeShrinkable, openReclaim } from './reclaim.ts';
import type { DiskSpace } from './disk-space.ts';

export interface Reader {
  get<T>(sql: string, ...args: SQLInputValue[]): T | undefined;
  all<T>(sql: string, ...args: SQLInputValue[]): T[];
}

/** The database inside a unit of work. Valid only while the unit runs. */
export interface Tx extends Reader {
  run(sql: string, ...args: SQLInputValue[]): { changes: number; lastInsertRowid: number };
  /** Runs when the unit is durable, before its promise resolves; not if the unit is rolled back. Must not throw. */
  afterCommit(effect: () => void): void;
}

export interface Database extends Reader {
  /**
   * Runs `unit` synchronously, completely or not at all, and resolves to its result when that is durable.
   * A unit that throws is rolled back and rejects with the error; other units are not affected.
   */
  write<T>(unit: (tx: Tx) => T, options?: WriteOptions): Promise<T>;
  /** Number of writes to these tables by this process: equal numbers mean equal content. */
  writesTo(...tables: string[]): number;
  /** Number of queued writes. */
  waiting(): number;
  close(): Promise<void>;
}

export interface WriteOptions {
  /** Allowed on a full disk, in space reserved for it: writes that free space, and the steps to them. */
  essential?: boolean;
}

interface Waiting {
  unit: (tx: Tx) => unknown;
  essential: boolean;
  /** Whether this is the second attempt, after space was freed. */
  again: boolean;
  resolve: (value: never) => void;
  reject: (cause: unknown) => void;
}

const commits = openCounter('muster_db_commits', 'Transactions that were committed.');
const batches = openHistogram('muster_db_batch_writes', 'Writes that shared a transaction.', [1, 2, 5, 10, 50, 200]);

const batch = batches.of('');

/** Turns of the event loop in which more writes may join before they run. */
const MAX_GATHER_TURNS = 2;

/** Longest time that one shared transaction may block the process. */
const LONGEST_BATCH_MS = 20;

/** The service's own tables. */
const SERVICE: DatabaseKind = {
  steps: migrations,
  ownTable: 'accounts',
  whenReadOnly: {
    inMemory: ['settings', 'sessions', 'signin_codes'],
    ignored: ['audit'],
    outdated: { devices: 'online = 0', tunnels: 'connected = NULL' },
  },
};

interface DatabaseOptions extends FileOptions {
  /** How long a write waits for another process to unlock the file. */
  lockTimeoutMs?: number;
  /** A kind other than the service's own. */
  kind?: DatabaseKind;
  /** Monitors the space on its disk, if this process does. */
  disk?: DiskSpace;
  report?: (line: string) => void;
}

/** Opens or creates the database, and migrates its tables. */
export function openDatabase(
  file: string,
  { lockTimeoutMs = 5_000, kind = SERVICE, disk, report = log.info, ...options }: DatabaseOptions = {},
): Database {
  const sqlite = openDatabaseFile(file, kind, options);
  if (disk && !options.readOnly) makeShrinkable(sqlite, file, disk, report);
  const reclaim = options.readOnly ? undefined : openReclaim(sqlite, disk);

  /** Describes faults of the disk or the file for clients; returns other errors unchanged. */
  const describeError = (cause: unknown): unknown =>
    (options.readOnly && sqliteCode(cause) !== undefined ? disk?.refusal() : undefined) ?? systemFault(cause) ?? cause;

  const statements = new Map<string, { statement: StatementSync; target: string | undefined }>();
  const writes = new Map<string, number>();
  const prepared = (sql: string): StatementSync => {
    let known = statements.get(sql);
    if (!known) {
      const target = /^\s*(?:INSERT(?: OR \w+)? INTO|UPDATE|DELETE FROM)\s+(\w+)/i.exec(sql)?.[1];
      statements.set(sql, (known = { statement: sqlite.prepare(sql), target }));
    }
    if (known.target !== undefined) writes.set(known.target, (writes.get(known.target) ?? 0) + 1);
    return known.statement;
  };
  const reader: Reader = {
    get: <T>(sql: string, ...args: SQLInputValue[]) => prepared(sql).get(...args) as T | undefined,
    all: <T>(sql: string, ...args: SQLInputValue[]) => prepared(sql).all(...args) as T[],
  };

  let queue: Waiting[] = [];
  let scheduled = false;
  let closed = false;
  let lockedSince: number | undefined;
  let whenIdle: (() => void)[] = [];

  const schedule = () => {
    if (scheduled) return;
    scheduled = true;
    gather(0);
  };
  // Clients that the last commit answered send their next write at once: as long as each turn brings more, they share
  // one.
  const gather = (turns: number) => {
    const before = queue.length;
    setImmediate(() => (queue.length > before && turns < MAX_GATHER_TURNS ? gather(turns + 1) : flush()));
  };

  const rollBack = () => {
    if (sqlite.isTransaction) prepared('ROLLBACK').run();
  };

  /** Runs one unit between savepoints; its effects run after the commit. */
  const runUnit = (unit: (tx: Tx) => unknown): { value: unknown; effects: (() => void)[] } => {
    const effects: (() => void)[] = [];
    let live = true;
    const tx: Tx = {
      ...reader,
      run: (sql, ...args) => {
        if (!live) throw new TypeError('A transaction was used after its unit of work had ended');
        const { changes, lastInsertRowid } = prepared(sql).run(...args);
        return { changes: Number(changes), lastInsertRowid: Number(lastInsertRowid) };
      },
      afterCommit: (effect) => effects.push(effect),
    };
    prepared('SAVEPOINT unit').run();
    try {
      const value = unit(tx);
      if (value instanceof Promise) throw new TypeError('A unit of work must not be asynchronous');
      prepared('RELEASE unit').run();
      return { value, effects };
    } catch (cause) {
      // On a full disk SQLite rolls back the whole transaction, savepoints included.
      if (sqlite.isTransaction) {
        prepared('ROLLBACK TO unit').run();
        prepared('RELEASE unit').run();
      }
      throw cause;
    } finally {
      live = false;
    }
  };

  function flush(): void {
    scheduled = false;
    try {
      prepared('BEGIN IMMEDIATE').run();
    } catch (cause) {
      lockedSince ??= performance.now();
      if (sqliteCode(cause) === SQLITE.BUSY && performance.now() - lockedSince < lockTimeoutMs) {
        scheduled = true;
        setTimeout(flush, 20);
        return;
      }
      lockedSince = undefined;
      const all = queue.splice(0);
      for (const { reject } of all) reject(describeError(cause));
      return idle();
    }
    lockedSince = undefined;

    if (disk?.isShort()) {
      for (const { essential, reject } of queue) if (!essential) reject(diskFull());
      queue = queue.filter(({ essential }) => essential);
    }
    const started = performance.now();
    const done: (Waiting & { value: unknown; effects: (() => void)[] })[] = [];
    let taken = 0;
    let lost: unknown;
    let failed: Waiting | undefined;
    for (const waiting of queue) {
      taken += 1;
      try {
        done.push({ ...waiting, ...runUnit(waiting.unit) });
      } catch (cause) {
        if (!sqlite.isTransaction) {
          lost = cause;
          failed = waiting;
          break;
        }
        waiting.reject(describeError(cause));
      }
      if (performance.now() - started > LONGEST_BATCH_MS) break;
    }
    queue = queue.slice(taken);
    if (lost === undefined)
      try {
        prepared('COMMIT').run();
      } catch (cause) {
        lost = cause;
        rollBack();
      }
    if (lost === undefined) {
      commits.add('');
      batches.observe(batch, done.length);
      for (const { effects } of done) for (const effect of effects) effect();
      for (const { resolve, value } of done) resolve(value as never);
    } else {
      const retried = isFull(lost) ? retryAfterFreeing([...done, ...(failed ? [failed] : [])]) : new Set<Waiting>();
      for (const waiting of [...done, ...(failed ? [failed] : [])])
        if (!retried.has(waiting)) waiting.reject(describeError(lost));
    }
    reclaim?.check();
    idle();
  }

  /** Frees the space reserved for essential writes, and puts those at the front of the queue again. */
  function retryAfterFreeing(lost: Waiting[]): Set<Waiting> {
    disk?.writeFailed();
    const retried = lost.filter(({ essential, again }) => essential && !again);
    if (retried.length === 0 || !disk) return new Set();
    disk.removeBallast();
    try {
      // A checkpoint moves the log to the database file, which frees the log's space.
      sqlite.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // The log keeps its size.
    }
    queue = [...retried.map((waiting) => ({ ...waiting, again: true })), ...queue];
    return new Set(retried);
  }

  function idle(): void {
    if (queue.length > 0) return schedule();
    for (const notify of whenIdle.splice(0)) notify();
  }

  return {
    ...reader,
    write: <T>(unit: (tx: Tx) => T, { essential = false }: WriteOptions = {}) =>
      new Promise<T>((resolve, reject) => {
        if (closed) return reject(new Problem(503, 'The service is stopping', 'Try again when it is back.'));
        queue.push({ unit, essential, again: false, resolve, reject });
        schedule();
      }),
    waiting: () => queue.length,
    writesTo: (...tables) => tables.reduce((sum, table) => sum + (writes.get(table) ?? 0), 0),
    close: async () => {
      if (closed) return;
      closed = true;
      if (scheduled) await new Promise<void>((resolve) => whenIdle.push(resolve));
      whenIdle = [];
      reclaim?.stop();
      try {
        sqlite.exec('PRAGMA optimize');
      } catch {
        // Without space for new statistics the older ones remain.
      }
      sqlite.close();
    },
  };
}
