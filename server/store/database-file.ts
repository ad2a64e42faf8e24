// The file of a database: checked before it is opened, then migrated. A fault stops the start with one sentence that
// says what is wrong and what to do; the file is not changed then.
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { DatabaseSync } from 'node:sqlite';
import { ConfigError } from '../config-error.ts';
import { SQLITE, sqliteCode, systemCode, systemFault } from '../http/system-fault.ts';

/** Describes one kind of database. */
export interface DatabaseKind {
  /** Migrations, in order. */
  steps: readonly string[];
  /** A table of its first migration that no other kind has. */
  ownTable: string;
  /** How its tables work on a disk that refuses writes, so that users can sign in and read. */
  whenReadOnly?: {
    /** Copied to memory, where they are writable until the process ends. */
    inMemory: readonly string[];
    /** Writes to these are discarded. */
    ignored: readonly string[];
    /** Copied to memory with these columns set, because nothing can update them; read-only. */
    outdated: Record<string, string>;
  };
}

export interface FileOptions {
  /** The disk refuses writes. */
  readOnly?: boolean;
  /** Called before tables are created in an empty file; throws if they should exist. */
  beforeNew?: () => void;
  /** Called before each migration with its index, to save elsewhere what it removes. */
  beforeStep?: (index: number, sqlite: DatabaseSync) => void;
}

const MAGIC = 'SQLite format 3\0';
const HEADER_BYTES = 100;
/** Largest file that is checked completely at each start (about 0.3 s for 64 MB). */
const CHECKED_BYTES = 64 * 1024 * 1024;

const RESTORE = 'Restore a backup in its place, or set DATA_DIR to another folder to begin anew.';

/** Bytes of a file; 0 if it does not exist. */
export const fileSize = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** Opens or creates the file, and migrates its tables. */
export function openDatabaseFile(file: string, kind: DatabaseKind, options: FileOptions = {}): DatabaseSync {
  if (file !== ':memory:') checkFile(file, options.readOnly ?? false);
  let sqlite: DatabaseSync | undefined;
  try {
    sqlite = options.readOnly ? openReadOnly(file) : new DatabaseSync(file);
    sqlite.exec('PRAGMA busy_timeout = 2000');
    checkContent(sqlite, file, kind);
    if (!options.readOnly && dropStatistics(sqlite)) {
      // A connection keeps what it has read of them.
      sqlite.close();
      sqlite = new DatabaseSync(file);
      sqlite.exec('PRAGMA busy_timeout = 2000');
    }
    if (!options.readOnly)
      sqlite.exec(`
        PRAGMA auto_vacuum = INCREMENTAL; -- of a new file; an older one changes with a VACUUM
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = FULL;
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
 * The planner must not depend on statistics: figures of a moment at which a table was empty mislead it for weeks. Without
 * any it chooses by the statement and the indexes alone, which query-plans.test.ts checks. False if there were none.
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
  // The tables they refer to are in the other schema.
  sqlite.exec('PRAGMA foreign_keys = OFF');
  for (const table of [...inMemory, ...Object.keys(outdated)]) {
    const made = sqlite.prepare(
      "SELECT sql FROM main.sqlite_schema WHERE tbl_name = ? AND type IN ('table', 'index') AND sql NOT NULL ORDER BY type DESC",
    );
    const [first, ...indexes] = made.all(table).map(({ sql }) => String(sql));
    sqlite.exec(first?.replace(/^CREATE TABLE/, 'CREATE TEMP TABLE') ?? '');
    sqlite.exec(`INSERT INTO temp.${table} SELECT * FROM main.${table}`);
    // Queries name these indexes.
    for (const index of indexes) sqlite.exec(index.replace(/ INDEX /, ' INDEX temp.'));
  }
  for (const [table, values] of Object.entries(outdated)) {
    sqlite.exec(`UPDATE temp.${table} SET ${values}`);
    for (const change of ['INSERT', 'UPDATE', 'DELETE'])
      sqlite.exec(`CREATE TEMP TRIGGER ${table}_no_${change} BEFORE ${change} ON temp.${table}
        BEGIN SELECT RAISE(ABORT, 'attempt to write a readonly database'); END`);
  }
  for (const table of ignored)
    sqlite.exec(`
      CREATE TEMP VIEW ${table} AS SELECT * FROM main.${table};
      CREATE TEMP TRIGGER ${table}_ignored INSTEAD OF INSERT ON ${table} BEGIN SELECT 1; END;
    `);
}

/** Checks what is visible without SQLite, which would create a log beside the file or give a vaguer error. */
function checkFile(file: string, readOnly: boolean): void {
  let header: Buffer;
  try {
    // Created here, because SQLite gives the files beside it the same permissions.
    if (!readOnly) closeSync(openSync(file, 'a', 0o600));
    const handle = openSync(file, 'r');
    try {
      header = Buffer.alloc(HEADER_BYTES);
      header = header.subarray(0, readSync(handle, header, 0, HEADER_BYTES, 0));
    } finally {
      closeSync(handle);
    }
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
  if (header.length < HEADER_BYTES || header.toString('latin1', 0, MAGIC.length) !== MAGIC)
    throw new ConfigError(`${file} is not a database (another program may have written it). ${RESTORE}`);
  // Bytes 28 and 92: the number of pages, if the writer of the file counted them (SQLite, "file format").
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  const counted = header.readUInt32BE(24) === header.readUInt32BE(92);
  const missing = counted ? header.readUInt32BE(28) * pageSize - fileSize(file) : 0;
  if (missing > 0 && fileSize(`${file}-wal`) === 0)
    throw new ConfigError(`${file} is damaged: its last ${missing} bytes are missing. ${RESTORE}`);
}

function checkContent(sqlite: DatabaseSync, file: string, { ownTable }: DatabaseKind): void {
  const tables = sqlite
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .all()
    .map((row) => row['name']);
  if (tables.length > 0 && !tables.includes(ownTable))
    throw new ConfigError(`${file} is the database of another program (it has no table "${ownTable}"). ${RESTORE}`);
  if (file === ':memory:' || fileSize(file) > CHECKED_BYTES) return;
  const found = sqlite.prepare('PRAGMA quick_check(1)').get()?.['quick_check'];
  if (found !== 'ok') throw new ConfigError(`${file} is damaged (${String(found).split('\n').at(-1)}). ${RESTORE}`);
}

function bringUpToDate(
  sqlite: DatabaseSync,
  file: string,
  { steps }: DatabaseKind,
  { readOnly, beforeNew, beforeStep }: FileOptions,
): void {
  const at = Number(sqlite.prepare('PRAGMA user_version').get()?.['user_version']);
  if (at > steps.length)
    throw new ConfigError(
      `${file} is of a newer version of Muster (its step ${at}; this one knows ${steps.length}): start the newer version, or restore a backup from before it.`,
    );
  if (at === steps.length) return;
  if (readOnly)
    throw new ConfigError(
      `${file} is of another version of Muster, and the disk is read-only: make it writable, so that the tables can be changed.`,
    );
  if (at === 0) beforeNew?.();
  for (const [index, step] of steps.entries()) {
    if (index < at) continue;
    beforeStep?.(index, sqlite);
    sqlite.exec(`BEGIN IMMEDIATE; ${step} PRAGMA user_version = ${index + 1}; COMMIT`);
  }
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
