// Restores a backup to the locations in the environment, which must be empty. It is first written to a folder inside
// DATA_DIR, checked, and upgraded to this version. No service starts there until the last step is done.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { escapeInvisible, TarFault } from '#/contract/tar-entries.ts';
import { ConfigError } from '../config-error.ts';
import { makeFolder } from '../open-store.ts';
import { syncFolder } from '../store/artifact-files.ts';
import { allArtifacts } from '../store/artifacts.ts';
import type { Tx } from '../store/database.ts';
import { markAllOffline } from '../store/devices.ts';
import { moveJob, refreshParents } from '../store/job-moves.ts';
import type { TouchedParents } from '../store/job-moves.ts';
import { waitingJobs } from '../store/jobs.ts';
import { lockFolder } from '../store/lock.ts';
import { claimStore, ownerOf, putFile } from '../store/s3-artifacts.ts';
import { openS3Client } from '../store/s3-client.ts';
import { instanceId } from '../store/settings.ts';
import { openDatabase } from '../store/sqlite.ts';
import { markAllTunnelsDown } from '../store/tunnels.ts';
import { UNFINISHED_FOLDER } from '../store/unfinished-restore.ts';
import type { S3Config } from '../s3-config.ts';
import { at } from './fault.ts';
import { DATABASE_FILE } from './manifest.ts';
import type { Places } from './places.ts';
import type { PostgresTarget, RefusedTexts } from './postgres.ts';
import { openProgress } from './progress.ts';
import type { Report } from './progress.ts';
import { DamagedBackup, stageBackup, syncFile } from './stage.ts';
import type { Staged } from './stage.ts';

export interface RestoreOptions {
  /** Whether waiting jobs are sent. By default they are if no service was running when the backup was made. */
  keepWaiting?: boolean | undefined;
  /** Replaces characters that PostgreSQL cannot store, instead of refusing them. */
  replaceCharacters?: boolean;
  report?: Report;
}

export interface Restored extends Omit<Staged, 'artifacts'> {
  artifacts: number;
  /** How many jobs were waiting. */
  waiting: number;
  /** Whether they became Interrupted, because it is unknown whether they have run since. */
  areInterrupted: boolean;
  /** Texts that were changed because PostgreSQL cannot store them. */
  replaced: RefusedTexts;
}

/** Files that an empty folder may contain: the lock, and the folder that file systems have in their root. */
const IGNORED = ['muster.lock', 'muster.lock-journal', 'lost+found'];
/** In the order in which they are put in place: the database comes last and makes the rest valid. */
const PARTS = ['artifacts', DATABASE_FILE];

export async function restoreBackup(places: Places, file: string, options: RestoreOptions = {}): Promise<Restored> {
  const { dataDir, databaseUrl } = places;
  if (!existsSync(file)) throw new ConfigError(`There is no file ${file}.`);
  if (makeFolder(dataDir) !== 'writable') throw new ConfigError(`${dataDir} is on a read-only disk: make it writable.`);
  // The lock also detects a running service.
  const lock = lockFolder(dataDir);
  let postgres: PostgresTarget | undefined;
  try {
    requireEmpty(dataDir);
    if (databaseUrl) postgres = await (await import('./postgres.ts')).openPostgresTarget(databaseUrl);
    return await restore(places, file, postgres, options);
  } finally {
    await postgres?.close();
    lock.release();
  }
}

/** Throws unless the folder is empty, apart from the leftovers of an interrupted restore. */
function requireEmpty(dataDir: string): void {
  const isLeftover = existsSync(path.join(dataDir, UNFINISHED_FOLDER));
  const expected = isLeftover ? [...IGNORED, ...PARTS, UNFINISHED_FOLDER] : IGNORED;
  const others = readdirSync(dataDir).filter((name) => !expected.includes(name));
  if (others.length > 0)
    throw new ConfigError(
      `${dataDir} is not empty (it holds ${others
        .slice(0, 3)
        .map((name) => escapeInvisible(name))
        .join(', ')}): set DATA_DIR to a new folder, or move away what is in this one.`,
    );
}

async function restore(
  { dataDir, artifactStore }: Places,
  file: string,
  postgres: PostgresTarget | undefined,
  { keepWaiting, replaceCharacters = false, report = () => {} }: RestoreOptions,
): Promise<Restored> {
  const folder = path.join(dataDir, UNFINISHED_FOLDER);
  const progress = openProgress(report);
  const undo = async () => {
    for (const part of PARTS.toReversed()) rmSync(path.join(dataDir, part), { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
    await postgres?.undo();
  };
  /** PostgreSQL may have committed everything even if the answer to the commit was lost. */
  let isCommitted = false;
  try {
    await postgres?.begin();
    const staged = await at(dataDir, async () => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      await syncFolder(dataDir);
      for (const part of [...PARTS, ...readdirSync(folder).map((name) => path.join(UNFINISHED_FOLDER, name))])
        rmSync(path.join(dataDir, part), { recursive: true, force: true });
      return stageBackup(file, folder, progress);
    });
    const areInterrupted = !(keepWaiting ?? !staged.wasRunning);
    const { instance, waiting } = await at(dataDir, () => settle(folder, staged, areInterrupted));
    const replaced = postgres ? await loadIntoPostgres(postgres, folder, { replaceCharacters, progress }) : NONE;
    if (artifactStore && staged.artifactsIn === undefined)
      await at(artifactStore.address, () => storeArtifacts(artifactStore, { folder, instance, staged, progress }));
    await at(dataDir, async () => {
      if (postgres) rmSync(path.join(folder, DATABASE_FILE));
      if (artifactStore) rmSync(path.join(folder, 'artifacts'), { recursive: true });
      for (const part of PARTS.filter((name) => existsSync(path.join(folder, name)))) {
        renameSync(path.join(folder, part), path.join(dataDir, part));
        await syncFolder(dataDir);
      }
    });
    isCommitted = postgres !== undefined;
    await postgres?.complete();
    rmSync(folder, { recursive: true });
    await syncFolder(dataDir);
    return { ...staged, artifacts: staged.artifacts.size, waiting, areInterrupted, replaced };
  } catch (cause) {
    if (!isCommitted) await undo();
    if (cause instanceof TarFault || cause instanceof DamagedBackup)
      throw new ConfigError(
        `${file} is no backup that can be restored: ${cause instanceof TarFault ? `it ${cause.message}` : cause.message}. Nothing was changed.`,
      );
    throw cause;
  }
}

const NONE: RefusedTexts = { count: 0, names: [] };

/** Upgrades the tables to this version, and corrects what is no longer true. */
async function settle(
  folder: string,
  { artifacts, damaged, artifactsIn, time }: Staged,
  interrupt: boolean,
): Promise<{ instance: string; waiting: number }> {
  const file = path.join(folder, DATABASE_FILE);
  const db = openDatabase(file);
  try {
    for (const { id, sha256 } of artifactsIn === undefined ? await allArtifacts(db) : [])
      if (artifacts.get(id) !== sha256 && !damaged.includes(id))
        throw new DamagedBackup(`the file of the artifact ${escapeInvisible(id)} is missing in it`);
    return await db.write(async (tx) => {
      await markAllOffline(tx);
      await markAllTunnelsDown(tx);
      const waiting = interrupt ? await interruptWaiting(tx, time) : (await waitingJobs(tx)).length;
      return { instance: await instanceId(tx), waiting };
    });
  } finally {
    await db.close();
    syncFile(file);
  }
}

/**
 * A job must run at most once. One that was waiting while a service ran may have run since, and the device does not
 * remember it. As the two cases cannot be told apart, it is not sent again.
 */
async function interruptWaiting(tx: Tx, madeAt: string): Promise<number> {
  const parents: TouchedParents = new Map();
  const rows = await waitingJobs(tx);
  const reason = `It waited in the backup of ${madeAt} that was restored. Whether it ran after that is not known, so it was not sent again.`;
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
}

async function loadIntoPostgres(
  postgres: PostgresTarget,
  folder: string,
  { replaceCharacters, progress }: { replaceCharacters: boolean; progress: (what: string) => void },
): Promise<RefusedTexts> {
  const sqlite = new DatabaseSync(path.join(folder, DATABASE_FILE), { readOnly: true });
  try {
    const refused = await postgres.load(sqlite, (table, rows) => progress(`${rows} rows of ${table}`));
    if (refused.count > 0 && !replaceCharacters)
      throw new ConfigError(
        `PostgreSQL cannot store ${refused.count} texts in it, which hold U+0000 or parts of characters: ${listed(refused)}. Nothing was changed. With --replace-characters these become U+FFFD.`,
      );
    return refused;
  } finally {
    sqlite.close();
  }
}

/** Lists the texts for the operator. */
export const listed = ({ count, names }: RefusedTexts): string =>
  [
    ...names.map((name) => escapeInvisible(name)),
    ...(count > names.length ? [`${count - names.length} more`] : []),
  ].join('; ');

/** Artifacts that an interrupted restore stored are simply stored again, because the bytes of an id never change. */
async function storeArtifacts(
  store: S3Config,
  {
    folder,
    instance,
    staged,
    progress,
  }: { folder: string; instance: string; staged: Staged; progress: (what: string) => void },
): Promise<void> {
  const s3 = openS3Client(store);
  try {
    await s3.check();
    const owner = await ownerOf(s3);
    if (owner === undefined)
      for await (const { name } of s3.list())
        throw new ConfigError(
          `${store.address} is not empty (it holds ${escapeInvisible(name)}): set ARTIFACT_STORE_URL to another prefix, or delete what is below this one.`,
        );
    else if (owner !== instance)
      throw new ConfigError(
        `${store.address} holds the artifacts of another Muster: set ARTIFACT_STORE_URL to another prefix.`,
      );
    if (owner === undefined) await claimStore(s3, instance);
    let count = 0;
    for (const [id, sha256] of staged.artifacts) {
      const file = path.join(folder, 'artifacts', id);
      await putFile(s3, id, { file, sizeBytes: statSync(file).size, sha256 });
      const digest = createHash('sha256');
      for await (const piece of (await s3.get(id))?.bytes ?? []) digest.update(piece);
      if (digest.digest('hex') !== sha256)
        throw new ConfigError(
          `The artifact ${id} is damaged in ${store.address} after it was stored. Run the restore again.`,
        );
      progress(`${(count += 1)} of ${staged.artifacts.size} artifacts stored in ${store.address}`);
    }
  } finally {
    s3.close();
  }
}
