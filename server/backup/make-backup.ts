// Makes a backup while the service runs, without delaying it: the database is read as of one moment, and the bytes of
// an artifact never change. An artifact that is deleted in the meantime is left out.
import { createHash, hash } from 'node:crypto';
import { createReadStream, rmSync } from 'node:fs';
import { access, open, rename } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { BLOCK, tarHeader } from '#/contract/tar-header.ts';
import { ConfigError } from '../config-error.ts';
import { artifactFolder, requireId, syncFolder } from '../store/artifact-files.ts';
import type { FileFault, KnownFile } from '../store/artifact-files.ts';
import { newId } from '../store/ids.ts';
import { openS3Client } from '../store/s3-client.ts';
import { readObject } from '../store/s3-read.ts';
import { systemCode } from '../store/system-fault.ts';
import { VERSION } from '../version.ts';
import { at, placeFault } from './fault.ts';
import { FORMAT, MANIFEST, SUMMARY, SUMS } from './manifest.ts';
import type { Manifest, Summary } from './manifest.ts';
import type { Places } from './places.ts';
import { openProgress } from './progress.ts';
import type { Report } from './progress.ts';
import { openSqliteSource } from './source.ts';
import type { Source } from './source.ts';
import { printRow } from './tables.ts';
import type { Row, Table } from './tables.ts';

/** Names of files that an interrupted backup leaves behind. */
export const PARTIAL = /\.[a-z0-9]{12}\.partial$/;
/** The size of a chunk of rows before compression. */
const CHUNK_BYTES = 4 * 1024 * 1024;

export interface BackupOptions {
  /** The store that artifacts are left in. */
  artifactsIn?: string | undefined;
  report?: Report;
}

export interface MadeBackup {
  manifest: Manifest;
  bytes: number;
  rows: number;
  artifacts: number;
  /** Ids of artifacts whose bytes are missing or damaged. */
  damaged: string[];
}

async function openSource({ dataDir, databaseUrl }: Places): Promise<Source> {
  if (!databaseUrl) return at(dataDir, () => openSqliteSource(dataDir));
  const { openPostgresSource } = await import('./postgres.ts');
  return openPostgresSource(databaseUrl);
}

/** Writes everything to a new file, which gets its name only when it is complete and durable. */
export async function makeBackup(places: Places, file: string, options: BackupOptions = {}): Promise<MadeBackup> {
  const folder = path.dirname(file);
  await access(folder).catch(() => {
    throw new ConfigError(`No backup was made: there is no folder ${folder}. Make it first.`);
  });
  if (
    await access(file).then(
      () => true,
      () => false,
    )
  )
    throw new ConfigError(`${file} exists already: choose another name.`);
  const partial = `${file}.${newId(12)}.partial`;
  const removePartial = () => rmSync(partial, { force: true });
  process.once('exit', removePartial);
  const source = await openSource(places);
  try {
    const tar = await openTar(partial);
    let made: MadeBackup;
    try {
      made = await at(places.dataDir, () => write(source, tar, places, options));
    } finally {
      await tar.close();
    }
    await at(file, () => rename(partial, file));
    await syncFolder(folder);
    return made;
  } finally {
    await source.close();
    removePartial();
    process.off('exit', removePartial);
  }
}

/** Creates the file. Only its owner may read it, because it contains everything that the service stores. */
async function openTar(file: string) {
  // Appending, so that what was added last can be cut off again.
  const handle = await at(file, () => open(file, 'ax', 0o600));
  const seconds = Math.max(0, Math.floor(Date.now() / 1000));
  const sums: string[] = [];
  const headerOf = (name: string, size: number) =>
    tarHeader({ name: new TextEncoder().encode(name), type: '0', mode: 0o600, time: seconds, size });
  const padding = (size: number) => new Uint8Array((BLOCK - (size % BLOCK)) % BLOCK);
  const add = (name: string, bytes: Uint8Array) =>
    at(file, async () => {
      await handle.writeFile(headerOf(name, bytes.length));
      await handle.writeFile(bytes);
      await handle.writeFile(padding(bytes.length));
      sums.push(`${hash('sha256', bytes)}  ${name}\n`);
    });
  /** Adds a file of any size, unless its bytes are not those of its SHA-256. */
  const addChecked = async (
    name: string,
    { sizeBytes, sha256 }: Pick<KnownFile, 'sizeBytes' | 'sha256'>,
    bytes: AsyncIterable<Uint8Array>,
  ): Promise<boolean> => {
    const { size: before } = await handle.stat();
    await at(file, () => handle.writeFile(headerOf(name, sizeBytes)));
    const digest = createHash('sha256');
    for await (const piece of bytes) {
      digest.update(piece);
      await at(file, () => handle.writeFile(piece));
    }
    if (digest.digest('hex') !== sha256) {
      await handle.truncate(before);
      return false;
    }
    await at(file, () => handle.writeFile(padding(sizeBytes)));
    sums.push(`${sha256}  ${name}\n`);
    return true;
  };
  return {
    add,
    addChecked,
    addJson: (name: string, value: unknown) => add(name, Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`)),
    /** Makes the file durable, and returns its size. */
    complete: () =>
      at(file, async () => {
        await add(SUMS, Buffer.from(sums.join('')));
        await handle.writeFile(new Uint8Array(2 * BLOCK));
        await handle.sync();
        return (await handle.stat()).size;
      }),
    close: () => handle.close(),
  };
}
type Tar = Awaited<ReturnType<typeof openTar>>;

async function write(
  source: Source,
  tar: Tar,
  places: Places,
  { artifactsIn, report = () => {} }: BackupOptions,
): Promise<MadeBackup> {
  const progress = openProgress(report);
  const manifest: Manifest = {
    Format: FORMAT,
    Version: VERSION,
    ...source.facts,
    ...(artifactsIn !== undefined && { ArtifactsIn: artifactsIn }),
  };
  await tar.addJson(MANIFEST, manifest);

  const summary: Summary = { Rows: {}, Counters: {}, Damaged: [] };
  const deleted = new Set<string>();
  let artifacts = 0;
  if (artifactsIn === undefined) {
    const files = openFiles(places);
    try {
      for (const artifact of await artifactsOf(source)) {
        const { id } = artifact;
        if (await tar.addChecked(`artifacts/${id}`, artifact, files.read(artifact)))
          progress(`${(artifacts += 1)} artifacts`);
        else if (await source.hasArtifact(id)) summary.Damaged.push(id);
        else deleted.add(id);
      }
    } finally {
      files.close();
    }
  }

  let rows = 0;
  for (const table of source.tables) {
    const count = await writeRows(source, table, tar, { deleted, progress });
    summary.Rows[table.name] = count;
    rows += count;
    if (table.counter !== undefined) summary.Counters[table.name] = await source.counter(table);
  }
  await tar.addJson(SUMMARY, summary);
  return { manifest, bytes: await tar.complete(), rows, artifacts, damaged: summary.Damaged };
}

/** Writes rows in chunks, of which only one is in memory at a time. */
async function writeRows(
  source: Source,
  table: Table,
  tar: Tar,
  { deleted, progress }: { deleted: Set<string>; progress: (what: string) => void },
): Promise<number> {
  const { name, columns } = table;
  const header = JSON.stringify(columns.map((column) => column.name));
  const key = columns.findIndex((column) => column.name === (name === 'settings' ? 'key' : 'id'));
  /** Skips the mark that the service is running, and rows of artifacts that were deleted. */
  const isLeftOut = (row: Row) =>
    (name === 'settings' && row[key] === 'running') || (name === 'artifacts' && deleted.has(String(row[key])));
  let count = 0;
  let number = 0;
  let lines = [header];
  let size = 0;
  const flush = async () => {
    number += 1;
    const bytes = await promisify(gzip)(`${lines.join('\n')}\n`, { level: 1 });
    await tar.add(`rows/${name}/${String(number).padStart(6, '0')}.jsonl.gz`, bytes);
    lines = [header];
    size = 0;
    progress(`${count} rows of ${name}`);
  };
  for await (const row of source.rows(table)) {
    if (isLeftOut(row)) continue;
    const line = printRow(row);
    count += 1;
    lines.push(line);
    size += line.length;
    if (size >= CHUNK_BYTES) await flush();
  }
  if (lines.length > 1) await flush();
  return count;
}

async function artifactsOf(source: Source): Promise<KnownFile[]> {
  const table = source.tables.find(({ name }) => name === 'artifacts');
  if (!table) return [];
  const found = [];
  for await (const row of source.rows(table)) {
    const value = (name: string) => String(row[table.columns.findIndex((column) => column.name === name)]);
    const [id, name, version, sha256] = [value('id'), value('name'), value('version'), value('sha256')];
    found.push({ id, name, version, sizeBytes: Number(value('size_bytes')), sha256 });
  }
  return found;
}

/** Reads the bytes of artifacts; of one that is missing or damaged, not all or others. */
function openFiles({ dataDir, artifactStore }: Places) {
  if (!artifactStore)
    return {
      read: async function* ({ id }: KnownFile): AsyncGenerator<Uint8Array> {
        try {
          yield* createReadStream(path.join(artifactFolder(dataDir), requireId(id))) as AsyncIterable<Buffer>;
        } catch (cause) {
          // The artifact counts as damaged.
          if (systemCode(cause) === undefined) throw cause;
        }
      },
      close: () => {},
    };
  const s3 = openS3Client(artifactStore);
  return {
    read: async function* (artifact: KnownFile): AsyncGenerator<Uint8Array> {
      let fault: FileFault | undefined;
      const all = { start: 0, end: artifact.sizeBytes - 1 };
      const id = requireId(artifact.id);
      try {
        yield* await readObject(s3, { ...artifact, id }, all, (found) => (fault = found));
      } catch (cause) {
        if (!fault) throw placeFault(cause, artifactStore.address);
      }
    },
    close: () => s3.close(),
  };
}
