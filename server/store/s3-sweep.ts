// Compares the objects in an S3 store with the database: deletes what a crash or an unreachable store left behind, and
// finds artifacts whose object is missing or truncated before somebody needs them.
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { log } from '../operation/log.ts';
import { artifactFolder, requireId } from './artifact-files.ts';
import type { ArtifactRecords, FileFault, KnownFile } from './artifact-files.ts';
import type { S3Client } from './s3-client.ts';

const HOUR_MS = 3_600_000;

export interface Unfinished {
  /** Records that an object may exist before its artifact does. */
  begin(artifactId: string): Promise<void>;
  all(): Promise<string[]>;
  end(artifactId: string): Promise<void>;
  /** Whether its upload may still be under way. */
  isRecent(artifactId: string): boolean;
}

/** Marker files in DATA_DIR, one for each upload whose transaction may not have been committed. */
export async function openUnfinished(dataDir: string, now = () => performance.now()): Promise<Unfinished> {
  const folder = path.join(artifactFolder(dataDir), 'unfinished');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const begun = new Map<string, number>();
  return {
    begin: async (artifactId) => {
      await writeFile(path.join(folder, requireId(artifactId)), '', { mode: 0o600 });
      begun.set(artifactId, now());
    },
    all: () => readdir(folder),
    end: async (artifactId) => {
      begun.delete(artifactId);
      await rm(path.join(folder, requireId(artifactId)), { force: true });
    },
    isRecent: (artifactId) => now() - (begun.get(artifactId) ?? -Infinity) < HOUR_MS,
  };
}

export interface SweepOptions {
  s3: S3Client;
  address: string;
  records: ArtifactRecords;
  /** Undefined if nothing may be written. */
  unfinished: Unfinished | undefined;
  found: (artifact: KnownFile, fault: FileFault | undefined) => void;
}

/**
 * Returns how many objects belong to no artifact. They are left alone, because the database may have been restored from
 * an older backup.
 */
export async function sweepObjects({ s3, address, records, unfinished, found }: SweepOptions): Promise<number> {
  // Read before the listing: the object of an upload that ends in between is recognized by its young age.
  const missing = new Map((await records.all()).map((artifact) => [artifact.id, artifact]));
  const leftovers = new Set(await unfinished?.all());
  for (const id of leftovers) if (missing.has(id)) await unfinished?.end(id);

  let unknown = 0;
  let deleted = 0;
  for await (const { name, sizeBytes, ageMs } of s3.list()) {
    const artifact = missing.get(name);
    if (artifact) {
      missing.delete(name);
      found(artifact, sizeBytes === artifact.sizeBytes ? undefined : 'Damaged');
    } else if (/^[a-z0-9]+$/.test(name)) {
      if (await records.wasDeleted(name)) {
        if (!unfinished) continue;
        await s3.remove(name);
        await unfinished.end(name);
        deleted += 1;
      } else if (!(ageMs < HOUR_MS) && !leftovers.has(name)) unknown += 1;
    }
  }
  for (const artifact of missing.values()) if (!(await records.wasDeleted(artifact.id))) found(artifact, 'Missing');

  const known = new Set((await records.all()).map(({ id }) => id));
  for (const id of leftovers) {
    if (!unfinished || known.has(id) || unfinished.isRecent(id)) continue;
    await s3.remove(id);
    await unfinished.end(id);
    deleted += 1;
  }
  if (deleted > 0)
    log.info(`Deleted what no artifact needs any longer from the store.`, { store: address, objects: deleted });
  return unknown;
}
