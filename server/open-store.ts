// Opens everything on the disk: the folder, its lock, its free space, the database. On a read-only or completely full
// disk all data remains readable.
import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { ConfigError } from './config-error.ts';
import type { Config } from './config.ts';
import { log } from './operation/log.ts';
import { requireDatabaseOfFiles } from './store/artifact-folder.ts';
import { fileSize, requireKnownVersion } from './store/database-file.ts';
import { openDatabase, SERVICE_TABLES } from './store/sqlite.ts';
import type { Database } from './store/database.ts';
import type { PostgresDatabase } from './store/postgres.ts';
import { lockFolder } from './store/lock.ts';
import { openDiskSpace } from './store/disk-space.ts';
import { requireFinishedFolder } from './store/unfinished-restore.ts';
import type { DiskSpace } from './store/disk-space.ts';
import { isFull, SQLITE, sqliteCode, systemCode } from './store/system-fault.ts';

export interface Store {
  db: Database;
  /** The same, if other nodes can use it too. */
  shared?: PostgresDatabase;
  disk: DiskSpace;
  /** Size of the write-ahead log that the last run left, which SQLite takes over. */
  logBytes: number;
  /** Closes everything and releases the folder. */
  release(): Promise<void>;
}

/** Opens the store of a service. `disposable`: as in FileOptions. */
export async function openStore(config: Config, { disposable = false } = {}): Promise<Store> {
  requireFinishedFolder(config.dataDir);
  return config.databaseUrl ? openStoreInPostgres(config, config.databaseUrl) : openStoreInFolder(config, disposable);
}

/** The folder then has the artifacts only, or nothing. Nodes share it: it has no lock. */
async function openStoreInPostgres({ dataDir }: Config, url: URL): Promise<Store> {
  if (makeFolder(dataDir) !== 'writable')
    throw new ConfigError(`DATA_DIR is "${dataDir}", but its disk is read-only: make it writable.`);
  const disk = openDiskSpace(dataDir, { report: (line) => log.warn(line) });
  try {
    if (fileSize(path.join(dataDir, 'muster.db')) > 0)
      throw new ConfigError(
        `DATABASE_URL is set, but ${dataDir} holds the embedded database of another service: set DATA_DIR to another folder, or leave DATABASE_URL out.`,
      );
    // Only a service that uses it loads its code.
    const { openPostgres } = await import('./store/postgres.ts');
    const db = await openPostgres(url);
    return {
      db,
      shared: db,
      disk,
      logBytes: 0,
      release: async () => {
        await db.close();
        disk.close();
      },
    };
  } catch (cause) {
    disk.close();
    throw cause;
  }
}

async function openStoreInFolder({ dataDir }: Config, disposable: boolean): Promise<Store> {
  const file = path.join(dataDir, 'muster.db');
  requireKnownVersion(file, SERVICE_TABLES);
  const writable = makeFolder(dataDir) === 'writable';
  const logBytes = fileSize(`${file}-wal`);
  const lock = writable ? lockFolder(dataDir) : undefined;
  const disk = openDiskSpace(dataDir, { report: (line) => log.warn(line) });
  const release = () => {
    disk.close();
    lock?.release();
  };
  const open = (readOnly: boolean) =>
    openDatabase(file, {
      disk,
      readOnly,
      disposable,
      beforeNew: () => requireDatabaseOfFiles(dataDir, file, { isEmpty: true }),
    });
  const opened = (db: Database): Store => ({
    db,
    disk,
    logBytes,
    release: async () => {
      await db.close();
      release();
    },
  });
  try {
    requireDatabaseOfFiles(dataDir, file);
    if (!writable) {
      disk.setReadOnly('ReadOnly');
      return opened(open(true));
    }
    disk.freeSpaceToStart();
    try {
      const db = open(false);
      // The smallest write of a start.
      if (disk.isShort())
        await db
          .write((tx) => tx.run('UPDATE settings SET value = value'), { essential: true })
          .catch(async (cause) => {
            await db.close();
            throw cause;
          });
      return opened(db);
    } catch (cause) {
      if (!disk.isShort() || !isFullStart(cause)) throw cause;
      disk.setReadOnly('Full');
      return opened(open(true));
    }
  } catch (cause) {
    release();
    throw cause;
  }
}

/**
 * Whether a start failed for lack of space: SQLite may also report that it cannot create a file beside the database.
 */
const isFullStart = (cause: unknown) => {
  const why = cause instanceof Error && cause.cause !== undefined ? cause.cause : cause;
  return isFull(why) || sqliteCode(why) === SQLITE.IOERR || sqliteCode(why) === SQLITE.CANTOPEN;
};

/** Creates DATA_DIR, accessible only by the service's own user. On a read-only disk it must exist. */
export function makeFolder(folder: string): 'writable' | 'read-only' {
  try {
    createMissing(folder);
    accessSync(folder, constants.W_OK);
    return 'writable';
  } catch (cause) {
    if (systemCode(cause) === 'EROFS' && statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return 'read-only';
    const why = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
    throw new ConfigError(`DATA_DIR is "${folder}", but the service cannot make or write that folder${why}.`);
  }
}

/**
 * Like mkdir with `recursive`, which never returns in some existing folders that refuse new ones (Node 24, under
 * /proc).
 */
function createMissing(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  if (path.dirname(folder) !== folder) createMissing(path.dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}
