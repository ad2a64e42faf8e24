// The database that a backup reads, in one snapshot.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { escapeInvisible } from '#/contract/tar-entries.ts';
import { ConfigError } from '../config-error.ts';
import { openDatabaseFile, requireKnownVersion } from '../store/database-file.ts';
import { lockFolder } from '../store/lock.ts';
import { SERVICE_TABLES } from '../store/sqlite.ts';
import type { Manifest } from './manifest.ts';
import { sqliteCounter, sqliteRows, tablesOf } from './tables.ts';
import type { Row, Table } from './tables.ts';

export interface Source {
  facts: Pick<Manifest, 'Engine' | 'Schema' | 'Definitions' | 'Time' | 'Running'>;
  tables: Table[];
  rows(table: Table): Iterable<Row> | AsyncIterable<Row>;
  /** The highest number ever used in this table. */
  counter(table: Table): string | Promise<string>;
  /** Whether an artifact still exists now; its file is removed when it is deleted. */
  hasArtifact(id: string): boolean | Promise<boolean>;
  close(): void | Promise<void>;
}

/** A database with the tables of this version and no rows. */
export const emptyTables = (): DatabaseSync => openDatabaseFile(':memory:', SERVICE_TABLES);

/** The version of the tables. */
export const schemaOf = (sqlite: DatabaseSync): number =>
  Number(sqlite.prepare('PRAGMA user_version').get()?.['user_version']);

/** Runs SQLite's check of all pages. */
export function requireSound(sqlite: DatabaseSync, file: string): void {
  const found = String(sqlite.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check']);
  if (found !== 'ok') throw new ConfigError(`${file} is damaged (${escapeInvisible(found)}).`);
}

/** The statements that create the tables of this database, in order. */
export const definitionsOf = (sqlite: DatabaseSync): string[] =>
  sqlite
    .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid")
    .all()
    .map(({ sql }) => String(sql));

export function openSqliteSource(dataDir: string): Source {
  const file = path.join(dataDir, 'muster.db');
  if (!existsSync(file))
    throw new ConfigError(`There is no muster.db in ${dataDir}: set DATA_DIR to the folder that the service uses.`);
  requireKnownVersion(file, SERVICE_TABLES);
  const sqlite = new DatabaseSync(file, { readOnly: true });
  const now = new DatabaseSync(file, { readOnly: true });
  const close = () => {
    sqlite.close();
    now.close();
  };
  try {
    for (const each of [sqlite, now]) each.exec('PRAGMA busy_timeout = 30000');
    const snapshot = takeSnapshot(sqlite, dataDir);
    requireSound(sqlite, file);
    const artifact = now.prepare('SELECT 1 FROM artifacts WHERE id = ?');
    return {
      facts: { Engine: 'SQLite', ...snapshot, Definitions: definitionsOf(sqlite) },
      tables: tablesOf(sqlite),
      rows: (table) => sqliteRows(sqlite, table),
      counter: (table) => sqliteCounter(sqlite, table),
      hasArtifact: (id) => artifact.get(id) !== undefined,
      close,
    };
  } catch (cause) {
    close();
    throw cause;
  }
}

/** The lock is held only for a moment, because a service that starts later does not affect the snapshot. */
function takeSnapshot(sqlite: DatabaseSync, dataDir: string): Pick<Manifest, 'Schema' | 'Time' | 'Running'> {
  const lock = lockIfFree(dataDir);
  try {
    sqlite.exec('BEGIN');
    // The first statement that reads takes the snapshot.
    return { Schema: schemaOf(sqlite), Time: new Date().toISOString(), Running: !lock };
  } finally {
    lock?.release();
  }
}

/** Undefined if a service uses the folder, or if that cannot be determined. */
function lockIfFree(dataDir: string): { release: () => void } | undefined {
  try {
    return lockFolder(dataDir);
  } catch (cause) {
    if (cause instanceof ConfigError) return undefined;
    throw cause;
  }
}
