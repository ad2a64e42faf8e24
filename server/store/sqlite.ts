// The embedded database: one file. While a unit of work awaits its statements, other handlers run: they read through a
// second connection, which sees only committed data.
import { DatabaseSync } from 'node:sqlite';
import type { StatementSync } from 'node:sqlite';
import { log } from '../operation/log.ts';
import { diskFull, isFull, SQLITE, sqliteCode, systemFault } from './system-fault.ts';
import { openDatabaseFile } from './database-file.ts';
import type { DatabaseKind, FileOptions } from './database-file.ts';
import type { Database, Reader, SqlValue } from './database.ts';
import { sqliteDialect } from './dialect.ts';
import { newId } from './ids.ts';
import { makeShrinkable, openReclaim } from './reclaim.ts';
import { SCHEMA } from './schema.ts';
import { textOf } from './schema-text.ts';
import { SERVICE_VERSIONS, upgradeFrom } from './upgrades.ts';
import type { DiskSpace } from './disk-space.ts';
import { openWriteQueue } from './write-queue.ts';

/** The service's own tables. */
export const SERVICE_TABLES: DatabaseKind = {
  versions: SERVICE_VERSIONS,
  schema: textOf(SCHEMA, 'sqlite'),
  upgrade: (from, has) => upgradeFrom(from, has, 'sqlite'),
  ownTable: 'accounts',
};
/** The same tables, usable on a read-only disk. */
const SERVICE_DATABASE: DatabaseKind = {
  ...SERVICE_TABLES,
  whenReadOnly: {
    inMemory: ['settings', 'sessions', 'signin_codes'],
    ignored: { audit: 'INSERT', people: 'UPDATE OF last_seen' },
    outdated: { devices: 'online = 0', tunnels: 'connected = NULL' },
  },
};

/** The size of the page cache for normal reads, and for an export, which reads each page once. */
const READ_CACHE_KB = 65_536;
const EXPORT_CACHE_KB = 2_048;

interface DatabaseOptions extends FileOptions {
  /** How long a write waits while another process locks the file. */
  lockTimeoutMs?: number;
  /** A kind other than the service's own. */
  kind?: DatabaseKind;
  /** Monitors the disk space, if this process does that. */
  disk?: DiskSpace;
  report?: (line: string) => void;
}

/** Opens or creates the database, and upgrades its tables. */
export function openDatabase(
  file: string,
  { lockTimeoutMs = 5_000, kind = SERVICE_DATABASE, disk, report = log.info, ...options }: DatabaseOptions = {},
): Database {
  const sqlite = openDatabaseFile(file, kind, options);
  if (disk && !options.readOnly) makeShrinkable(sqlite, file, disk, report);
  const reclaim = options.readOnly ? undefined : openReclaim(sqlite, disk);
  // On a read-only disk the writable tables are in the memory of the one connection.
  const hasOneConnection = options.readOnly || file === ':memory:';
  const reads = hasOneConnection ? sqlite : openReader(file, READ_CACHE_KB);
  const readStatement = statementsOf(reads);
  const statement = statementsOf(sqlite);
  const opening = newId();
  let lockedSince: number | undefined;

  const queue = openWriteQueue({
    ...readerOf(statement),
    run: async (sql, ...args) => ({ changes: Number(statement(sql).run(...args).changes) }),
    begin: async () => {
      try {
        statement('BEGIN IMMEDIATE').run();
      } catch (cause) {
        lockedSince ??= performance.now();
        if (sqliteCode(cause) === SQLITE.BUSY && performance.now() - lockedSince < lockTimeoutMs) return false;
        lockedSince = undefined;
        throw cause;
      }
      lockedSince = undefined;
      return true;
    },
    save: async () => void statement('SAVEPOINT unit').run(),
    release: async () => void statement('RELEASE unit').run(),
    undo: async () => {
      statement('ROLLBACK TO unit').run();
      statement('RELEASE unit').run();
    },
    commit: async () => void statement('COMMIT').run(),
    rollback: async () => {
      if (sqlite.isTransaction) statement('ROLLBACK').run();
    },
    // On a full disk SQLite rolls back the whole transaction, savepoints included.
    isInTransaction: () => sqlite.isTransaction,
    describeError: (cause) =>
      (options.readOnly && sqliteCode(cause) !== undefined ? disk?.refusal() : undefined) ??
      systemFault(cause) ??
      cause,
    refusal: () => (disk?.isShort() ? diskFull() : undefined),
    recover: (cause) => {
      if (!isFull(cause)) return false;
      disk?.writeFailed();
      if (!disk) return false;
      // Space is reserved for essential writes.
      disk.removeBallast();
      try {
        // A checkpoint moves the log to the database file, which frees the log's space.
        sqlite.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      } catch {
        // The log keeps its size.
      }
      return true;
    },
    ended: () => reclaim?.check(),
  });

  let isClosed = false;
  return {
    ...readerOf(readStatement),
    write: queue.write,
    migrations: async () => ({
      at: Number(readStatement('PRAGMA user_version').get()?.['user_version']),
      steps: kind.versions.newest,
    }),
    waiting: queue.waiting,
    openReader: () => {
      if (hasOneConnection) return { ...readerOf(readStatement), close: () => {} };
      const exports = openReader(file, EXPORT_CACHE_KB);
      return { ...readerOf(statementsOf(exports)), close: () => exports.close() };
    },
    // No other process writes what is versioned.
    version: async (...names) => `${opening}.${queue.changesOf(names)}`,
    onSyncAgents: queue.onSyncAgents,
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      await queue.end();
      reclaim?.stop();
      // The last connection to close moves the log to the database file.
      if (reads !== sqlite) reads.close();
      sqlite.close();
    },
  };
}

function openReader(file: string, cacheKilobytes: number): DatabaseSync {
  const reads = new DatabaseSync(file, { readOnly: true });
  reads.exec(`PRAGMA busy_timeout = 2000; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -${cacheKilobytes}`);
  return reads;
}

const readerOf = (statement: (sql: string) => StatementSync): Reader => ({
  dialect: sqliteDialect,
  get: async <T>(sql: string, ...args: SqlValue[]) => statement(sql).get(...args) as T | undefined,
  all: async <T>(sql: string, ...args: SqlValue[]) => statement(sql).all(...args) as T[],
});

/** Statements of one connection, each compiled once. */
function statementsOf(sqlite: DatabaseSync): (sql: string) => StatementSync {
  const statements = new Map<string, StatementSync>();
  return (sql) => {
    let known = statements.get(sql);
    if (!known) statements.set(sql, (known = sqlite.prepare(sql)));
    return known;
  };
}
