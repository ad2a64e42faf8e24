// Extracts a backup of any engine and version to a temporary data folder, and verifies the SHA-256 of each member.
// Nothing else is touched before that.
import { createHash, hash } from 'node:crypto';
import { closeSync, createReadStream, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { StatementSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import * as z from 'zod/mini';
import { escapeInvisible, tarEntries } from '#/contract/tar-entries.ts';
import { BRIDGE } from '../store/database-version.ts';
import { isFull, SQLITE, sqliteCode } from '../store/system-fault.ts';
import { SERVICE_VERSIONS } from '../store/upgrades.ts';
import {
  ARTIFACT,
  DATABASE_FILE,
  earlierSchema,
  FORMAT,
  MANIFEST,
  manifestSchema,
  ROWS,
  SUMMARY,
  summarySchema,
  SUMS,
} from './manifest.ts';
import type { Manifest, Summary } from './manifest.ts';
import { requireSound, schemaOf } from './source.ts';
import { parseRow, quoted, tablesOf } from './tables.ts';

/** What is wrong with a backup; completes "It is no backup that can be restored: <message>". */
export class DamagedBackup extends Error {}

export interface Staged {
  time: string;
  wasRunning: boolean;
  /** The SHA-256 of each artifact in the backup, by id. */
  artifacts: Map<string, string>;
  /** Ids of artifacts whose bytes were already missing or damaged. */
  damaged: string[];
  /** The S3 store that the artifacts were left in. */
  artifactsIn: string | undefined;
}

const MAX_JSON_BYTES = 64 * 1024 * 1024;
const MAX_CHUNK_BYTES = 512 * 1024 * 1024;
const FOREIGN = 'it holds what no backup of Muster holds';

/** Fills `folder` with `muster.db` and `artifacts`. */
export async function stageBackup(file: string, folder: string, progress: (what: string) => void): Promise<Staged> {
  mkdirSync(path.join(folder, 'artifacts'), { recursive: true, mode: 0o700 });
  const database = path.join(folder, DATABASE_FILE);
  const found = new Map<string, { bytes: number; sha256: string }>();
  const texts = new Map<string, string>();
  let manifest: Manifest | undefined;
  let loader: Loader | undefined;
  const size = statSync(file).size;
  let done = 0;

  const keep = async (name: string, contents: AsyncIterable<Uint8Array>): Promise<string> => {
    if (name === DATABASE_FILE && loader) throw new DamagedBackup(FOREIGN);
    if (name === DATABASE_FILE || ARTIFACT.test(name)) return writeFile(path.join(folder, name), contents);
    const isRows = ROWS.test(name);
    if (!isRows && ![MANIFEST, SUMMARY, SUMS].includes(name)) throw new DamagedBackup(FOREIGN);
    const bytes = await collect(contents, MAX_JSON_BYTES);
    if (isRows) {
      if (!loader) throw new DamagedBackup(`${MANIFEST} is missing at its beginning`);
      loader.load(name, bytes);
    } else texts.set(name, bytes.toString());
    if (name === MANIFEST) {
      manifest = readManifest(bytes.toString());
      if (manifest && found.size > 0) throw new DamagedBackup(FOREIGN);
      if (manifest) loader = openLoader(database, manifest);
    }
    return hash('sha256', bytes);
  };

  try {
    const entries = tarEntries(createReadStream(file, { highWaterMark: 1024 * 1024 }), {
      maxBytes: Number.MAX_SAFE_INTEGER,
      copy: async (entry, contents) => {
        if (found.has(entry.path)) throw new DamagedBackup(FOREIGN);
        found.set(entry.path, { bytes: entry.size, sha256: await keep(entry.path, contents) });
        done += entry.size;
        progress(`read ${Math.floor((100 * done) / size)} % of the backup`);
      },
    });
    for await (const { kind } of entries) if (kind !== 'file') throw new DamagedBackup(FOREIGN);
    const artifacts = new Map(
      [...found].flatMap(([name, { sha256 }]): [string, string][] => {
        const id = ARTIFACT.exec(name)?.[1];
        return id === undefined ? [] : [[id, sha256]];
      }),
    );
    if (!manifest || !loader) return { ...checkEarlier(found, texts, database), artifacts };
    checkSums(found, texts.get(SUMS));
    const summary = parse(summarySchema, texts.get(SUMMARY), SUMMARY);
    loader.complete(manifest.Schema, summary);
    const { Time: time, Running: wasRunning, ArtifactsIn: artifactsIn } = manifest;
    return { time, wasRunning, artifacts, damaged: summary.Damaged, artifactsIn };
  } finally {
    loader?.close();
  }
}

async function collect(contents: AsyncIterable<Uint8Array>, most: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of contents) {
    size += piece.length;
    if (size > most) throw new DamagedBackup(FOREIGN);
    pieces.push(piece.slice());
  }
  return Buffer.concat(pieces);
}

async function writeFile(file: string, contents: AsyncIterable<Uint8Array>): Promise<string> {
  const handle = await open(file, 'wx', 0o600);
  const digest = createHash('sha256');
  try {
    for await (const piece of contents) {
      digest.update(piece);
      await handle.writeFile(piece);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return digest.digest('hex');
}

function parse<T>(schema: z.ZodMiniType<T>, text: string | undefined, name: string): T {
  if (text === undefined) throw new DamagedBackup(`${name} is missing in it`);
  const read = z.safeParse(schema, json(text));
  if (!read.success) throw new DamagedBackup(`${name} in it is damaged`);
  return read.data;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Undefined for a manifest in an earlier format. */
function readManifest(text: string): Manifest | undefined {
  const value = json(text);
  const format = typeof value === 'object' && value !== null && 'Format' in value ? Number(value.Format) : Number.NaN;
  if (format > FORMAT) throw new DamagedBackup('it was made by a newer version of Muster: restore it with that one');
  if (format < FORMAT) return undefined;
  const manifest = parse(manifestSchema, text, MANIFEST);
  requireKnownSchema(manifest.Schema, manifest.Version);
  return manifest;
}

/** Refuses tables that this version cannot upgrade. */
function requireKnownSchema(schema: number, version: string): void {
  if (schema > SERVICE_VERSIONS.newest)
    throw new DamagedBackup(`it was made by a newer version of Muster (${version}): restore it with that one`);
  if (schema < SERVICE_VERSIONS.oldest)
    throw new DamagedBackup(
      `it was made by a version of Muster that is too old for this one. Check out ${BRIDGE}, restore it with that one, start and stop its service once, then start this version`,
    );
}

type Found = Map<string, { bytes: number; sha256: string }>;

/** Verifies checksums in the format of `sha256sum`. */
function checkSums(found: Found, text: string | undefined): void {
  if (text === undefined) throw new DamagedBackup(`${SUMS} is missing in it`);
  const left = new Map(found);
  left.delete(SUMS);
  for (const line of text.split('\n').slice(0, -1)) {
    const [, sha256, name = ''] = /^([0-9a-f]{64}) {2}(.+)$/.exec(line) ?? [];
    const member = left.get(name);
    if (member?.sha256 !== sha256 || !left.delete(name))
      throw new DamagedBackup(
        member ? `${name} in it is damaged` : `${escapeInvisible(name || SUMS)} is missing or damaged in it`,
      );
  }
  if (left.size > 0) throw new DamagedBackup(`it holds more than ${SUMS} names`);
}

/** Checks a backup up to format 2, which contains the database as a file. */
function checkEarlier(found: Found, texts: Map<string, string>, database: string): Omit<Staged, 'artifacts'> {
  const { Version, Parts, Tables, Time, Damaged, ArtifactStore } = parse(earlierSchema, texts.get(MANIFEST), MANIFEST);
  const left = new Map(found);
  left.delete(MANIFEST);
  for (const { Path, Bytes, Sha256 } of Parts) {
    const part = left.get(Path);
    if (part?.bytes !== Bytes || part.sha256 !== Sha256)
      throw new DamagedBackup(`${escapeInvisible(Path)} ${part ? 'in it is damaged' : 'is missing in it'}`);
    left.delete(Path);
  }
  if (left.size > 0) throw new DamagedBackup('it holds more than its list of contents names');
  if (!found.has(DATABASE_FILE)) throw new DamagedBackup('it holds no database');
  requireKnownSchema(Tables, Version);
  const sqlite = new DatabaseSync(database);
  try {
    requireSound(sqlite, DATABASE_FILE);
    if (schemaOf(sqlite) !== Tables) throw new DamagedBackup('its database is of another version than it says');
  } catch (cause) {
    throw asDamage(cause, DATABASE_FILE);
  } finally {
    sqlite.close();
  }
  // These formats do not say whether a service was running.
  return { time: Time, wasRunning: true, damaged: Damaged, artifactsIn: ArtifactStore?.Url };
}

/** An error while a member is read means that the member is damaged, unless the disk is to blame. */
function asDamage(cause: unknown, name: string): unknown {
  if (cause instanceof DamagedBackup || isFull(cause) || sqliteCode(cause) === SQLITE.IOERR) return cause;
  const why = cause instanceof Error ? ` (${escapeInvisible(cause.message)})` : '';
  return new DamagedBackup(`${name} in it is damaged${why}`);
}

interface Loader {
  /** Inserts the rows of a member. */
  load(name: string, gzipped: Uint8Array): void;
  /** Checks that no rows are missing, and creates indexes and triggers. */
  complete(schema: number, summary: Summary): void;
  close(): void;
}

/**
 * Creates the tables of the backup's version. Triggers are created after the rows, because they already ran when the
 * rows were first written.
 */
function openLoader(file: string, { Definitions }: Manifest): Loader {
  closeSync(openSync(file, 'wx', 0o600));
  const sqlite = new DatabaseSync(file);
  const define = (definitions: string[]) => {
    try {
      for (const sql of definitions) {
        if (!/^CREATE (TABLE|(UNIQUE )?INDEX|TRIGGER) /i.test(sql)) throw new DamagedBackup(FOREIGN);
        // `prepare` ignores anything after the first statement.
        sqlite.prepare(sql).run();
      }
    } catch (cause) {
      throw asDamage(cause, MANIFEST);
    }
  };
  const isTable = (sql: string) => /^CREATE TABLE /i.test(sql);
  // Nothing has to survive a crash, because the next restore starts over.
  sqlite.exec(`
    PRAGMA auto_vacuum = INCREMENTAL;
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    PRAGMA foreign_keys = OFF;
  `);
  define(Definitions.filter(isTable));
  const tables = new Map(tablesOf(sqlite).map((table) => [table.name, table]));
  const inserts = new Map<string, StatementSync>();
  const insertion = (name: string, header: string): StatementSync => {
    const table = tables.get(name);
    if (!table || header !== JSON.stringify(table.columns.map((column) => column.name)))
      throw new DamagedBackup(FOREIGN);
    let insert = inserts.get(name);
    if (!insert) {
      const columns = table.columns.map((column) => quoted(column.name)).join(', ');
      const values = table.columns.map(({ type }) => (type === 'TEXT' ? 'CAST(? AS TEXT)' : '?')).join(', ');
      inserts.set(name, (insert = sqlite.prepare(`INSERT INTO ${quoted(name)} (${columns}) VALUES (${values})`)));
    }
    return insert;
  };
  return {
    load: (name, gzipped) => {
      try {
        const [header = '', ...lines] = gunzipSync(gzipped, { maxOutputLength: MAX_CHUNK_BYTES })
          .toString()
          .trimEnd()
          .split('\n');
        const insert = insertion(ROWS.exec(name)?.[1] ?? '', header);
        sqlite.exec('BEGIN');
        for (const line of lines) insert.run(...parseRow(line));
        sqlite.exec('COMMIT');
      } catch (cause) {
        throw asDamage(cause, name);
      }
    },
    complete: (schema, { Rows, Counters }) => {
      for (const name of tables.keys()) {
        const count = sqlite.prepare(`SELECT count(*) AS n FROM ${quoted(name)}`).get()?.['n'];
        if (count !== (Rows[name] ?? 0)) throw new DamagedBackup(`rows of ${name} are missing in it`);
      }
      for (const [name, last] of Object.entries(Counters)) {
        sqlite.prepare('DELETE FROM sqlite_sequence WHERE name = ?').run(name);
        if (last !== '0')
          sqlite.prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (?, CAST(? AS INTEGER))').run(name, last);
      }
      define(Definitions.filter((sql) => !isTable(sql)));
      sqlite.exec(`PRAGMA user_version = ${schema}`);
    },
    close: () => sqlite.close(),
  };
}

/** Flushes a file that was written without a log. */
export function syncFile(file: string): void {
  const handle = openSync(file, 'r+');
  fsyncSync(handle);
  closeSync(handle);
}
