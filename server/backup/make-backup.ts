// Makes a backup beside a running service, without delaying it: SQLite copies the database as of one moment, and the
// artifact files in that copy never change. An artifact that is deleted meanwhile is removed from the copy.
import { createHash, hash } from 'node:crypto';
import { closeSync, createReadStream, existsSync, openSync, rmSync } from 'node:fs';
import { open, readFile, rename, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BLOCK, tarHeader } from '#/contract/tar-header.ts';
import { ConfigError } from '../config-error.ts';
import { newId } from '../store/ids.ts';
import { syncFolder } from '../store/artifact-files.ts';
import { VERSION } from '../version.ts';
import { DATABASE_PART, FORMAT, FORMAT_WITH_ARTIFACTS, MANIFEST_PART } from './manifest.ts';
import type { Manifest } from './manifest.ts';

/** Names of files that an interrupted backup leaves behind. */
export const PARTIAL = /\.[a-z0-9]{12}\.partial(\.db(-journal)?)?$/;

export interface MadeBackup {
  bytes: number;
  artifacts: number;
  /** Ids of artifacts whose file is missing or damaged. */
  damaged: string[];
  /** How many are only listed, because they are in an S3 store. */
  elsewhere: number;
}

/**
 * Writes the backup of a data folder to a new file, which gets its name only when it is complete and on disk. Artifacts
 * in an S3 store (`storeUrl`) are only listed.
 */
export async function makeBackup(dataDir: string, file: string, storeUrl?: string): Promise<MadeBackup> {
  const database = path.join(dataDir, 'muster.db');
  if (!existsSync(database))
    throw new ConfigError(`There is no muster.db in ${dataDir}: set DATA_DIR to the folder that the service uses.`);
  if (existsSync(file)) throw new ConfigError(`${file} exists already: choose another name.`);
  const partial = `${file}.${newId(12)}.partial`;
  const copy = `${partial}.db`;
  const removeParts = () => {
    for (const part of [partial, copy, `${copy}-journal`]) rmSync(part, { force: true });
  };
  process.once('exit', removeParts);
  try {
    // Created first with its permissions, because it contains everything that the service stores.
    closeSync(openSync(copy, 'wx', 0o600));
    const made = await write({ dataDir, database, copy, storeUrl }, await open(partial, 'wx', 0o600));
    await rename(partial, file);
    await syncFolder(path.dirname(file));
    return made;
  } catch (cause) {
    throw describeError(cause, file, database);
  } finally {
    removeParts();
    process.off('exit', removeParts);
  }
}

interface Sources {
  dataDir: string;
  database: string;
  copy: string;
  storeUrl: string | undefined;
}

async function write({ dataDir, database, copy, storeUrl }: Sources, tar: FileHandle): Promise<MadeBackup> {
  const live = new DatabaseSync(database, { readOnly: true });
  try {
    live.exec('PRAGMA busy_timeout = 30000');
    const time = new Date();
    live.prepare('VACUUM INTO ?').run(copy);
    const parts: Manifest['Parts'] = [];
    const damaged: string[] = [];
    const elsewhere: NonNullable<Manifest['ArtifactStore']>['Artifacts'] = [];
    const add = async (Path: string, content: AsyncIterable<Uint8Array>, Bytes: number) => {
      const seconds = Math.max(0, Math.floor(time.getTime() / 1000));
      const name = new TextEncoder().encode(Path);
      await tar.writeFile(tarHeader({ name, type: '0', mode: 0o600, size: Bytes, time: seconds }));
      const digest = createHash('sha256');
      for await (const piece of content) {
        digest.update(piece);
        await tar.writeFile(piece);
      }
      await tar.writeFile(new Uint8Array((BLOCK - (Bytes % BLOCK)) % BLOCK));
      parts.push({ Path, Bytes, Sha256: digest.digest('hex') });
    };

    const copied = new DatabaseSync(copy);
    try {
      const rows = copied.prepare('SELECT id, size_bytes, sha256 FROM artifacts ORDER BY seq').all();
      for (const row of rows) {
        const id = String(row['id']);
        if (storeUrl !== undefined) {
          elsewhere.push({ Id: id, Bytes: Number(row['size_bytes']), Sha256: String(row['sha256']) });
          continue;
        }
        // An artifact is small (artifact-limit.ts): it is checked in memory before it is written.
        const bytes = await readFile(path.join(dataDir, 'artifacts', id)).catch(() => undefined);
        if (bytes && hash('sha256', bytes) === row['sha256'])
          await add(`artifacts/${id}`, piecesOf(bytes), bytes.length);
        else if (live.prepare('SELECT 1 FROM artifacts WHERE id = ?').get(id)) damaged.push(id);
        else copied.prepare('DELETE FROM artifacts WHERE id = ?').run(id);
      }
      // Keys of new devices are for the caller who asked for them, and for nobody else.
      copied.exec('PRAGMA secure_delete = ON; DELETE FROM bulk_keys');
      // Nothing runs in the copy.
      copied.exec("DELETE FROM settings WHERE key = 'running'");
      requireSound(copied);
    } finally {
      copied.close();
    }
    const { size } = await stat(copy);
    await add(DATABASE_PART, createReadStream(copy, { highWaterMark: 1024 * 1024 }), size);
    const manifest: Manifest = {
      Format: storeUrl === undefined ? FORMAT_WITH_ARTIFACTS : FORMAT,
      Version: VERSION,
      Tables: tablesOf(live),
      Time: time.toISOString(),
      Parts: [...parts],
      Damaged: damaged,
      ...(storeUrl !== undefined && { ArtifactStore: { Url: storeUrl, Artifacts: elsewhere } }),
    };
    const list = Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`);
    await add(MANIFEST_PART, piecesOf(list), list.length);
    await tar.writeFile(new Uint8Array(2 * BLOCK));
    await tar.sync();
    return { bytes: (await tar.stat()).size, artifacts: parts.length - 2, damaged, elsewhere: elsewhere.length };
  } finally {
    live.close();
    await tar.close();
  }
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}

/** The number of migrations that a database has. */
export const tablesOf = (sqlite: DatabaseSync): number =>
  Number(sqlite.prepare('PRAGMA user_version').get()?.['user_version']);

/** SQLite's check of each page. */
export function requireSound(sqlite: DatabaseSync): void {
  const found = String(sqlite.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check']);
  if (found !== 'ok') throw new ConfigError(`The database in it is damaged (${found}).`);
}

function describeError(cause: unknown, file: string, database: string): unknown {
  if (!(cause instanceof Error) || cause instanceof ConfigError) return cause;
  const code = 'code' in cause ? String(cause.code) : '';
  if (code === 'ERR_SQLITE_ERROR')
    return new ConfigError(`No backup was made: ${database} cannot be copied (${cause.message}).`);
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new ConfigError(`No backup was made: there is no folder ${path.dirname(file)}. Make it first.`);
  if (/^E[A-Z]+$/.test(code)) return new ConfigError(`No backup was made: ${file} cannot be written (${code}).`);
  return cause;
}
