// What the repositories see of a database, whichever engine it is.

import type { Dialect } from './dialect.ts';

export type SqlValue = string | number | null | Uint8Array;

export interface Reader {
  readonly dialect: Dialect;
  get<T>(sql: string, ...args: SqlValue[]): Promise<T | undefined>;
  all<T>(sql: string, ...args: SqlValue[]): Promise<T[]>;
}

/** The database inside a unit of work. Valid only while the unit runs. */
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
   * Changes with every committed write to these tables and with every `bump` of these names, by any process. What is
   * read after it is never older than it; equal versions mean equal content.
   */
  version(...names: string[]): Promise<string>;
  /** Calls back after commits with the devices whose agents a unit wants to be sent what changed. */
  onSyncAgents(listener: (deviceSeqs: number[]) => void): void;
  /** The version of its tables, and the one that this service knows. */
  migrations(): Promise<{ at: number; steps: number }>;
  /** Number of queued writes. */
  waiting(): number;
  /** For long exports, which would otherwise push what others read out of the memory of the database. To be closed. */
  openReader(): ExportReader;
  close(): Promise<void>;
}

export interface ExportReader extends Reader {
  close(): void;
}

/** What `read` yields from a reader of its own, which is closed at the end or when nobody wants the rest. */
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
  /** Allowed on a full disk, in space reserved for it: writes that free space, and the steps to them. */
  essential?: boolean;
  /** Long work in the background: it does not share a transaction with units before it, whose answers would wait. */
  patient?: boolean;
}

/** Adds a row to a table with a `seq` of its own, and returns that. */
export async function insertRow(tx: Tx, sql: string, ...args: SqlValue[]): Promise<number> {
  const row = await tx.get<{ seq: number }>(`${sql} RETURNING seq`, ...args);
  if (!row) throw new TypeError('The statement added no row');
  return row.seq;
}
