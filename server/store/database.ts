// The database as the repositories see it, whichever engine it is.

import type { Dialect } from './dialect.ts';

export type SqlValue = string | number | null | Uint8Array;

export interface Reader {
  readonly dialect: Dialect;
  get<T>(sql: string, ...args: SqlValue[]): Promise<T | undefined>;
  all<T>(sql: string, ...args: SqlValue[]): Promise<T[]>;
}

/** The database inside a unit of work, which is one transaction to its author. Valid only while the unit runs. */
export interface Tx extends Reader {
  run(sql: string, ...args: SqlValue[]): Promise<{ changes: number }>;
  /** Runs when the unit is durable, before its promise resolves; not if the unit is rolled back. Must not throw. */
  afterCommit(effect: () => void): void;
  /** Changes the version of this name with the commit. */
  bump(name: string): void;
  /**
   * After the commit, sends the agents of these devices what changed for them: jobs, stops, closed tunnels, the end of
   * their connection. `onSyncAgents` is called with them in every process that uses the database.
   */
  syncAgents(...deviceSeqs: number[]): void;
}

export interface Database extends Reader {
  /**
   * Runs `unit` completely or not at all, and resolves to its result when that is durable. A unit that throws is rolled
   * back and rejects with the error; other units are not affected. Units run one after the other. A unit awaits nothing
   * but its own `tx`: all writes wait for it.
   */
  write<T>(unit: (tx: Tx) => T | Promise<T>, options?: WriteOptions): Promise<T>;
  /**
   * Changes with every committed write to these tables and with every `bump` of these names, by any process. Data read
   * after the version is never older than it; equal versions mean equal content.
   */
  version(...names: string[]): Promise<string>;
  /** Calls back after commits with the devices that units named in `syncAgents`. */
  onSyncAgents(listener: (deviceSeqs: number[]) => void): void;
  /** The version of the tables, and the newest one that this service knows. */
  migrations(): Promise<{ at: number; steps: number }>;
  /** Number of queued writes. */
  waiting(): number;
  /**
   * A separate reader for long exports, which would otherwise evict what others read from the database's cache. Must be
   * closed.
   */
  openReader(): ExportReader;
  close(): Promise<void>;
}

export interface ExportReader extends Reader {
  close(): void;
}

/** Yields what `read` yields from a separate reader, which is closed at the end or when the consumer stops. */
export async function* exported<T>(
  db: Pick<Database, 'openReader'>,
  read: (reader: Reader) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const reader = db.openReader();
  try {
    yield* read(reader);
  } finally {
    reader.close();
  }
}

export interface WriteOptions {
  /** Allowed on a full disk, in space reserved for this: writes that free space, and what they depend on. */
  essential?: boolean;
  /** Long background work: it does not join a transaction of earlier units, whose callers would have to wait. */
  patient?: boolean;
}

/** Adds a row to a table that has a `seq`, and returns the `seq`. */
export async function insertRow(tx: Tx, sql: string, ...args: SqlValue[]): Promise<number> {
  const row = await tx.get<{ seq: number }>(`${sql} RETURNING seq`, ...args);
  if (!row) throw new TypeError('The statement added no row');
  return row.seq;
}
