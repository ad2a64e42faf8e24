// Opens a database file: checks it, then upgrades it. A fault stops the start with one sentence that says what is wrong
// and what to do, and leaves the file unchanged.
import { closeSync, existsSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { DatabaseSync } from 'node:sqlite';
import { ConfigError } from '../config-error.ts';
import { versionFault } from './database-version.ts';
import type { KnownVersions } from './database-version.ts';
import { SQLITE, sqliteCode, systemCode, systemFault } from './system-fault.ts';

/** Describes one kind of database. */
export interface DatabaseKind {
  versions: KnownVersions;
  /** Creates all tables in an empty file. */
  schema: string;
  /** The statements that upgrade tables of this version; `has` answers for each table and each `table.column`. */
  upgrade: (from: number, has: (name: string) => boolean) => string;
  /** A table that no other kind has. */
  ownTable: string;
  /** How its tables work on a read-only disk, so that users can sign in and read. */
  whenReadOnly?: {
    /** Copied to memory, where they are writable until the process ends. */
    inMemory: readonly string[];
    /** Writes of this kind to these tables are discarded. */
    ignored: Record<string, string>;
    /** Copied to memory with these columns set, because nothing can update them; read-only. */
    outdated: Record<string, string>;
  };
}

export interface FileOptions {
  /** Nobody misses the data after a power failure, so nothing waits for the disk. */
  disposable?: boolean;
  /** The disk is read-only. */
  readOnly?: boolean;
  /** Called before tables are created in an empty file; throws if they should exist. */
  beforeNew?: () => void;
  /** Called before the upgrade, to save what it removes. */
  beforeUpgrade?: (from: number, sqlite: DatabaseSync) => void;
}

const MAGIC = 'SQLite format 3\0';
const HEADER_BYTES = 100;
/** Largest file that is checked completely at each start (about 0.3 s for 64 MB). */
const CHECKED_BYTES = 64 * 1024 * 1024;

const RESTORE = 'Restore a backup in its place, or set DATA_DIR to another folder to begin anew.';

/** Bytes of a file; 0 if it does not exist. */
export const fileSize = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/**
 * Throws if the file's version cannot be used. It only reads, and without SQLite unless a crash left a write-ahead log,
 * so neither the file nor anything beside it changes.
 */
export function requireKnownVersion(file: string, { versions }: DatabaseKind): void {
  const version = storedVersion(file);
  if (version !== 0) requireKnown(version, file, versions);
}

function requireKnown(version: number, file: string, versions: KnownVersions): void {
  const fault = versionFault(version, versions);
  if (fault !== undefined) throw new ConfigError(`${file} ${fault}`);
}

/** 0 for an empty file, and for one that is missing or unreadable, which opening it reports. */
function storedVersion(file: string): number {
  if (fileSize(`${file}-wal`) > 0) {
    const hadIndex = existsSync(`${file}-shm`);
    let sqlite: DatabaseSync | undefined;
    try {
      sqlite = new DatabaseSync(file, { readOnly: true });
      return versionOf(sqlite);
    } catch {
      return 0;
    } finally {
      sqlite?.close();
      if (!hadIndex) rmSync(`${file}-shm`, { force: true });
    }
  }
  try {
    const header = readHeader(file);
    // Byte 60: user_version (SQLite, "file format").
    return header.length === HEADER_BYTES && isSqlite(header) ? header.readUInt32BE(60) : 0;
  } catch {
    return 0;
  }
}

const versionOf = (sqlite: DatabaseSync) => Number(sqlite.prepare('PRAGMA user_version').get()?.['user_version']);

function readHeader(file: string): Buffer {
  const handle = openSync(file, 'r');
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    return header.subarray(0, readSync(handle, header, 0, HEADER_BYTES, 0));
  } finally {
    closeSync(handle);
  }
}

const isSqlite = (header: Buffer) => header.toString('latin1', 0, MAGIC.length) === MAGIC;

/** Opens or creates the file, and upgrades its tables. */
export function openDatabaseFile(file: string, kind: DatabaseKind, options: FileOptions = {}): DatabaseSync {
  if (file !== ':memory:') {
    checkFile(file, options.readOnly ?? false);
    requireKnownVersion(file, kind);
  }
  let sqlite: DatabaseSync | undefined;
  try {
    sqlite = options.readOnly ? openReadOnly(file) : new DatabaseSync(file);
    sqlite.exec('PRAGMA busy_timeout = 2000');
    checkContent(sqlite, file, kind);
    if (!options.readOnly && dropStatistics(sqlite)) {
      // An open connection keeps using the statistics that it has read.
      sqlite.close();
      sqlite = new DatabaseSync(file);
      sqlite.exec('PRAGMA busy_timeout = 2000');
    }
    if (!options.readOnly)
      sqlite.exec(`
        PRAGMA auto_vacuum = INCREMENTAL; -- of a new file; an older one changes with a VACUUM
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = ${options.disposable ? 'OFF' : 'FULL'};
        PRAGMA wal_autocheckpoint = 4000; -- pages: fewer flushes of the main file under many writes
        PRAGMA journal_size_limit = 16777216;
      `);
    sqlite.exec(`
      PRAGMA foreign_keys = ON;
      PRAGMA temp_store = MEMORY;
      PRAGMA cache_size = -65536;
    `);
    bringUpToDate(sqlite, file, kind, options);
    if (options.readOnly) shadowTables(sqlite, kind);
    sqlite.exec('PRAGMA busy_timeout = 50');
    return sqlite;
  } catch (cause) {
    sqlite?.close();
    throw describeOpenError(cause, file);
  }
}

/**
 * The planner must not depend on statistics: those taken while a table was empty mislead it for weeks. Without them it
 * chooses by the statement and the indexes alone, which query-plans.test.ts checks. Returns false if there were none.
 */
function dropStatistics(sqlite: DatabaseSync): boolean {
  const found = sqlite.prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'sqlite_stat_'").all();
  for (const { name } of found) sqlite.exec(`DROP TABLE ${String(name)}`);
  return found.length > 0;
}

/** Without a write-ahead log SQLite needs only the file; with one, also the index that a crash left. */
function openReadOnly(file: string): DatabaseSync {
  if (fileSize(`${file}-wal`) > 0) return new DatabaseSync(file, { readOnly: true });
  const url = pathToFileURL(file);
  url.searchParams.set('immutable', '1');
  return new DatabaseSync(url, { readOnly: true });
}

/** Creates temporary tables of the same names: SQLite looks for a name in `temp` first. */
function shadowTables(sqlite: DatabaseSync, { whenReadOnly }: DatabaseKind): void {
  if (!whenReadOnly) return;
  const { inMemory, ignored, outdated } = whenReadOnly;
  // The tables that they refer to are in the other schema.
  sqlite.exec('PRAGMA foreign_keys = OFF');
  for (const table of [...inMemory, ...Object.keys(outdated)]) {
    const definitions = sqlite.prepare(
      "SELECT sql FROM main.sqlite_schema WHERE tbl_name = ? AND type IN ('table', 'index') AND sql NOT NULL ORDER BY type DESC",
    );
    const [first, ...indexes] = definitions.all(table).map(({ sql }) => String(sql));
    sqlite.exec(first?.replace(/^CREATE TABLE/, 'CREATE TEMP TABLE') ?? '');
    sqlite.exec(`INSERT INTO temp.${table} SELECT * FROM main.${table}`);
    // Some queries name these indexes.
    for (const index of indexes) sqlite.exec(index.replace(/ INDEX /, ' INDEX temp.'));
  }
  for (const [table, values] of Object.entries(outdated)) {
    sqlite.exec(`UPDATE temp.${table} SET ${values}`);
    for (const change of ['INSERT', 'UPDATE', 'DELETE'])
      sqlite.exec(`CREATE TEMP TRIGGER ${table}_no_${change} BEFORE ${change} ON temp.${table}
        BEGIN SELECT RAISE(ABORT, 'attempt to write a readonly database'); END`);
  }
  for (const [table, writes] of Object.entries(ignored))
    sqlite.exec(`
      CREATE TEMP VIEW ${table} AS SELECT * FROM main.${table};
      CREATE TEMP TRIGGER ${table}_ignored INSTEAD OF ${writes} ON ${table} BEGIN SELECT 1; END;
    `);
}

/** Checks what is visible without SQLite, which would create a log beside the file or give a vaguer error. */
function checkFile(file: string, readOnly: boolean): void {
  let header: Buffer;
  try {
    // Created here, because SQLite gives the files beside it the same permissions.
    if (!readOnly) closeSync(openSync(file, 'a', 0o600));
    header = readHeader(file);
  } catch (cause) {
    const code = systemCode(cause);
    if (code === 'EACCES' || code === 'EPERM')
      throw new ConfigError(
        `The service may not read and write ${file} (${code}): give that file to the user who runs the service, with permission 600.`,
      );
    if (code === 'ENOENT')
      throw new ConfigError(`There is no ${file}, and the disk is read-only: make it writable to begin.`);
    if (code === 'EISDIR') throw new ConfigError(`${file} is a folder, but it should be the database. ${RESTORE}`);
    throw describeOpenError(cause, file);
  }
  if (header.length === 0) return;
  if (header.length < HEADER_BYTES || !isSqlite(header))
    throw new ConfigError(`${file} is not a database (another program may have written it). ${RESTORE}`);
  // Bytes 28 and 92: the number of pages, if the writer of the file counted them (SQLite, "file format").
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  const counted = header.readUInt32BE(24) === header.readUInt32BE(92);
  const missing = counted ? header.readUInt32BE(28) * pageSize - fileSize(file) : 0;
  if (missing > 0 && fileSize(`${file}-wal`) === 0)
    throw new ConfigError(`${file} is damaged: its last ${missing} bytes are missing. ${RESTORE}`);
}

function checkContent(sqlite: DatabaseSync, file: string, { ownTable }: DatabaseKind): void {
  const names = namesIn(sqlite);
  if (names.size > 0 && !names.has(ownTable))
    throw new ConfigError(`${file} is the database of another program (it has no table "${ownTable}"). ${RESTORE}`);
  if (names.size > 0 && versionOf(sqlite) === 0)
    throw new ConfigError(`${file} is the database of another program (its tables have no version). ${RESTORE}`);
  if (file === ':memory:' || fileSize(file) > CHECKED_BYTES) return;
  const found = sqlite.prepare('PRAGMA quick_check(1)').get()?.['quick_check'];
  if (found !== 'ok') throw new ConfigError(`${file} is damaged (${String(found).split('\n').at(-1)}). ${RESTORE}`);
}

/** Its tables, and each `table.column`. */
function namesIn(sqlite: DatabaseSync): Set<string> {
  const columns = sqlite.prepare(
    `SELECT t.name AS "table", c.name AS "column" FROM sqlite_schema t JOIN pragma_table_info(t.name) c
     WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
  );
  return new Set(columns.all().flatMap(({ table, column }) => [String(table), `${String(table)}.${String(column)}`]));
}

function bringUpToDate(
  sqlite: DatabaseSync,
  file: string,
  { versions, schema, upgrade }: DatabaseKind,
  { readOnly, beforeNew, beforeUpgrade }: FileOptions,
): void {
  const at = versionOf(sqlite);
  if (at === versions.newest) return;
  if (readOnly)
    throw new ConfigError(
      `${file} is of another version of Muster, and the disk is read-only: make it writable, so that the tables can be changed.`,
    );
  const names = namesIn(sqlite);
  const isNew = names.size === 0;
  if (isNew) beforeNew?.();
  else {
    requireKnown(at, file, versions);
    beforeUpgrade?.(at, sqlite);
  }
  const statements = isNew ? schema : upgrade(at, (name) => names.has(name));
  sqlite.exec(`BEGIN IMMEDIATE; ${statements}\nPRAGMA user_version = ${versions.newest}; COMMIT`);
}

/** Describes why a file cannot be opened, for the operator who starts the service. */
function describeOpenError(cause: unknown, file: string): unknown {
  if (cause instanceof ConfigError) return cause;
  const why = cause instanceof Error ? cause.message : String(cause);
  const code = sqliteCode(cause);
  if (code === SQLITE.CORRUPT || code === SQLITE.NOTADB)
    return new ConfigError(`${file} is damaged (${why}). ${RESTORE}`);
  if (code === SQLITE.BUSY)
    return new ConfigError(`Another program is using ${file}: end it (a backup, the sqlite3 shell), then start again.`);
  const fault = systemFault(cause);
  if (fault) return Object.assign(new ConfigError(`${file} cannot be opened (${why}). ${fault.message}.`), { cause });
  return cause;
}
