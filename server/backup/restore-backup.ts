// Restores a backup into an empty data folder. All parts are written to a temporary folder and checked first; the
// database is moved last, so that an interrupted restore never looks complete.
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as z from 'zod/mini';
import { TarFault, tarEntries } from '#/contract/tar-entries.ts';
import { ConfigError } from '../config-error.ts';
import { makeFolder } from '../open-store.ts';
import { syncFolder } from '../store/artifact-files.ts';
import { openDatabase } from '../store/sqlite.ts';
import { moveJob, refreshParents } from '../store/job-moves.ts';
import type { TouchedParents } from '../store/job-moves.ts';
import { waitingJobs } from '../store/jobs.ts';
import { lockFolder } from '../store/lock.ts';
import { BRIDGE } from '../store/database-version.ts';
import { SERVICE_VERSIONS } from '../store/upgrades.ts';
import { requireSound, tablesOf } from './make-backup.ts';
import { ARTIFACT_PART, DATABASE_PART, FORMAT, MANIFEST_PART, manifestSchema } from './manifest.ts';
import type { Manifest } from './manifest.ts';

export interface Restored {
  manifest: Manifest;
  artifacts: number;
  /** Waiting jobs that were ended, because it is unknown whether they ran since. */
  interrupted: number;
}

const ASIDE = 'restoring';
const LOCK = 'muster.lock';

/** Fills `dataDir` from a backup. `keepWaiting`: jobs that waited when it was made shall run. */
export async function restoreBackup(dataDir: string, file: string, { keepWaiting = false } = {}): Promise<Restored> {
  if (!existsSync(file)) throw new ConfigError(`There is no file ${file}.`);
  makeFolder(dataDir);
  // The lock comes first: it detects a running service.
  const lock = lockFolder(dataDir);
  const aside = path.join(dataDir, ASIDE);
  try {
    const there = readdirSync(dataDir).filter((name) => ![ASIDE, LOCK, `${LOCK}-journal`].includes(name));
    if (there.length > 0)
      throw new ConfigError(
        `${dataDir} is not empty (it holds ${there.slice(0, 3).join(', ')}): set DATA_DIR to a new folder, or move away what is in this one.`,
      );
    rmSync(aside, { recursive: true, force: true });
    mkdirSync(path.join(aside, 'artifacts'), { recursive: true, mode: 0o700 });
    const manifest = await unpack(file, aside);
    checkDatabase(aside, manifest);
    const interrupted = keepWaiting ? 0 : await endWaiting(path.join(aside, DATABASE_PART), manifest.Time);
    for (const part of ['artifacts', DATABASE_PART]) {
      renameSync(path.join(aside, part), path.join(dataDir, part));
      await syncFolder(dataDir);
    }
    return { manifest, artifacts: manifest.Parts.length - 1, interrupted };
  } catch (cause) {
    if (cause instanceof TarFault) throw damaged(file, `it ${cause.message}`);
    if (cause instanceof DamagedPart) throw damaged(file, cause.message);
    throw cause;
  } finally {
    rmSync(aside, { recursive: true, force: true });
    lock.release();
  }
}

class DamagedPart extends Error {}

const damaged = (file: string, why: string) =>
  new ConfigError(`${file} is no backup that can be restored: ${why}. Nothing was changed.`);

/** Writes every part to the temporary folder and compares it with the list. */
async function unpack(file: string, aside: string): Promise<Manifest> {
  const found = new Map<string, { bytes: number; sha256: string }>();
  const source = createReadStream(file, { highWaterMark: 1024 * 1024 });
  const entries = tarEntries(source, {
    maxBytes: Number.MAX_SAFE_INTEGER,
    copy: async (entry, contents) => {
      const isKnown = [DATABASE_PART, MANIFEST_PART].includes(entry.path) || ARTIFACT_PART.test(entry.path);
      if (!isKnown || found.has(entry.path)) throw new DamagedPart('it holds what no backup of Muster holds');
      const handle = await open(path.join(aside, entry.path), 'wx', 0o600);
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
      found.set(entry.path, { bytes: entry.size, sha256: digest.digest('hex') });
    },
  });
  for await (const { kind } of entries)
    if (kind !== 'file') throw new DamagedPart('it holds what no backup of Muster holds');

  if (!found.delete(MANIFEST_PART)) throw new DamagedPart('its list of contents is missing');
  const manifest = readManifest(readFileSync(path.join(aside, MANIFEST_PART), 'utf8'));
  for (const { Path, Bytes, Sha256 } of manifest.Parts) {
    const part = found.get(Path);
    if (part?.bytes !== Bytes || part.sha256 !== Sha256)
      throw new DamagedPart(part ? `${Path} in it is damaged` : `${Path} is missing in it`);
    found.delete(Path);
  }
  if (found.size > 0) throw new DamagedPart('it holds more than its list of contents names');
  return manifest;
}

function readManifest(text: string): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new DamagedPart('its list of contents is damaged');
  }
  if (typeof value === 'object' && value !== null && 'Format' in value && Number(value.Format) > FORMAT)
    throw new DamagedPart('it was made by a newer version of Muster: restore it with that one');
  const read = z.safeParse(manifestSchema, value);
  if (!read.success) throw new DamagedPart('its list of contents is damaged');
  const { Tables, Version } = read.data;
  if (Tables > SERVICE_VERSIONS.newest)
    throw new DamagedPart(`it was made by a newer version of Muster (${Version}): restore it with that one`);
  if (Tables < SERVICE_VERSIONS.oldest)
    throw new DamagedPart(
      `it was made by a version of Muster that is too old for this one. Check out ${BRIDGE}, restore it with that one, start and stop its service once, then start this version`,
    );
  return read.data;
}

/** The database must be sound, and its artifacts the ones in the backup. */
function checkDatabase(aside: string, { Parts, Damaged, Tables, ArtifactStore }: Manifest): void {
  const sums = new Map(Parts.map(({ Path, Sha256 }) => [Path, Sha256]));
  for (const { Id, Sha256 } of ArtifactStore?.Artifacts ?? []) sums.set(`artifacts/${Id}`, Sha256);
  if (!sums.has(DATABASE_PART)) throw new DamagedPart('it holds no database');
  const sqlite = new DatabaseSync(path.join(aside, DATABASE_PART));
  try {
    requireSound(sqlite);
    if (tablesOf(sqlite) !== Tables) throw new DamagedPart('its database is of another version than it says');
    for (const { id, sha256 } of sqlite.prepare('SELECT id, sha256 FROM artifacts').all())
      if (sums.get(`artifacts/${String(id)}`) !== sha256 && !Damaged.includes(String(id)))
        throw new DamagedPart(`the file of the artifact ${String(id)} is missing in it`);
  } catch (cause) {
    throw cause instanceof Error && 'code' in cause && cause.code === 'ERR_SQLITE_ERROR'
      ? new DamagedPart(`its database cannot be read (${cause.message})`)
      : cause;
  } finally {
    sqlite.close();
  }
}

/**
 * A job runs at most once. One that waited when the backup was made may have run since, and its device has forgotten
 * it: since nothing distinguishes the two, it is not run again.
 */
async function endWaiting(database: string, madeAt: string): Promise<number> {
  const db = openDatabase(database);
  try {
    return await db.write(async (tx) => {
      const parents: TouchedParents = new Map();
      const rows = await waitingJobs(tx);
      const reason = `It waited in the backup of ${madeAt} that was restored: whether it ran since is not known. It is not run.`;
      for (const { seq, parentSeq } of rows)
        await moveJob(
          tx,
          { seq, parentSeq, status: 'Waiting' },
          'Interrupted',
          { ended: Date.now(), reason, result: reason },
          parents,
        );
      await refreshParents(tx, parents);
      return rows.length;
    });
  } finally {
    await db.close();
  }
}
