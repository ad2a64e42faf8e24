// The bytes of artifacts: one file each under DATA_DIR/artifacts. A file gets its final name only when it is whole and
// on disk, so a crash can leave something unneeded behind (swept at the next start) but never half an artifact.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { ConfigError } from '../config.ts';
import { newId } from './ids.ts';
import { log } from '../operation/log.ts';
import { Problem } from '../http/problem.ts';
import { isFull, systemFault } from '../http/system-fault.ts';
import { fileSize } from './database-file.ts';

/** Bytes that arrived and are on disk, under a name that only this upload knows. */
export interface Received {
  file: string;
  sizeBytes: number;
  sha256: string;
}

/** What is known about an artifact's file. */
interface Known {
  id: string;
  name: string;
  version: string;
  sizeBytes: number;
}

/** `Missing`: there is no file; `Damaged`: it has another size than what was uploaded. */
export type FileFault = 'Missing' | 'Damaged';

export interface ArtifactFiles {
  /** Files at the start that belonged to no artifact and were set aside. */
  setAside: { count: number; folder: string };
  /** Writes a stream to disk; refuses `most` bytes or more, and leaves nothing behind where it throws. */
  receive(bytes: AsyncIterable<Buffer>, most: number): Promise<Received>;
  /** Makes the received bytes the file of an artifact. */
  store(received: Received, artifactId: string): Promise<void>;
  discard(received: Received): Promise<void>;
  /** What is wrong with the file, if anything; logged when it is first seen. */
  faultOf(artifact: Known): FileFault | undefined;
  /** The whole file, open for reading; refuses one that is missing or damaged. */
  open(artifact: Known): Promise<FileHandle>;
  remove(artifactId: string): Promise<void>;
}

/** Says which disk is full or broken; everything else stays what it is. */
function inWords(cause: unknown): unknown {
  const fault = systemFault(cause);
  if (!fault) return cause;
  const detail = isFull(cause)
    ? 'Nothing was kept. Delete artifacts, or free space on the disk that holds DATA_DIR, then upload again.'
    : (fault.detail ?? '');
  const { headers } = fault;
  return Object.assign(new Problem(503, `The service cannot store the file: ${fault.message}`, detail, { headers }), {
    cause,
  });
}

/** What is wrong with an artifact's file, for the person who needs it. */
export const fileFaultText = ({ name, version }: Pick<Known, 'name' | 'version'>, fault: FileFault): string =>
  `The file of ${name} ${version} is ${fault === 'Missing' ? 'missing' : 'damaged'} on the service: upload that artifact again.`;

const folderOf = (dataDir: string) => path.join(dataDir, 'artifacts');

/**
 * Refuses a start without the database that belongs to the artifacts: a new one would know none of them.
 * `isEmpty`: the file is there, but holds no tables.
 */
export function requireDatabaseOfFiles(dataDir: string, database: string, { isEmpty = false } = {}): void {
  const size = fileSize(database);
  if (size > 0 && !isEmpty) return;
  const files = statSync(folderOf(dataDir), { throwIfNoEntry: false })
    ? readdirSync(folderOf(dataDir), { withFileTypes: true }).filter((entry) => entry.isFile()).length
    : 0;
  // SQLite would throw away a log whose database is gone.
  const hasLog = size === 0 && fileSize(`${database}-wal`) > 0;
  if (files === 0 && !hasLog) return;
  const left = [
    ...(files > 0 ? [`${files} artifact ${files === 1 ? 'file' : 'files'}`] : []),
    ...(hasLog ? ['its log'] : []),
  ];
  throw new ConfigError(
    `${database} is ${size === 0 && !statSync(database, { throwIfNoEntry: false }) ? 'missing' : 'empty'}, but ${left.join(' and ')} in ${dataDir} ${files + Number(hasLog) === 1 ? 'belongs' : 'belong'} to one: put the database back or restore a backup, or set DATA_DIR to another folder to begin anew. Nothing was changed.`,
  );
}

/** A rename is on disk only once its folder is. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export interface ArtifactFilesOptions {
  dataDir: string;
  artifacts: readonly Known[];
  /** Whether an artifact with this id was deleted: its file may go. */
  wasDeleted: (artifactId: string) => boolean;
  /** The disk takes no writes. */
  readOnly?: boolean;
}

/**
 * Opens the folder of artifacts. Uploads that a crash cut off are removed from it, and files of artifacts that were
 * deleted just before one. Any other file that belongs to no artifact is set aside: the database may be an older one,
 * put back. Nothing may be uploading yet.
 */
export function openArtifactFiles({ dataDir, artifacts, wasDeleted, readOnly }: ArtifactFilesOptions): ArtifactFiles {
  const folder = folderOf(dataDir);
  const arriving = path.join(folder, 'arriving');
  const aside = path.join(dataDir, 'artifacts-set-aside');
  const setAside = { count: 0, folder: aside };
  if (!readOnly) {
    rmSync(arriving, { recursive: true, force: true });
    mkdirSync(arriving, { recursive: true, mode: 0o700 });
    const known = new Set(artifacts.map(({ id }) => id));
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (!entry.isFile() || known.has(entry.name)) continue;
      if (wasDeleted(entry.name)) {
        rmSync(path.join(folder, entry.name), { force: true });
        continue;
      }
      mkdirSync(aside, { recursive: true, mode: 0o700 });
      renameSync(path.join(folder, entry.name), path.join(aside, entry.name));
      setAside.count += 1;
    }
  }
  const logged = new Set<string>();
  const note = (artifact: Known, fault: FileFault) => {
    if (logged.has(artifact.id)) return;
    logged.add(artifact.id);
    log.warn(`artifacts: ${fileFaultText(artifact, fault)}`, { file: fileOf(artifact.id) });
  };
  // Ids are ours (letters and digits); one that is not must never become a path.
  const fileOf = (artifactId: string) => {
    if (!/^[a-z0-9]+$/.test(artifactId)) throw new TypeError('An artifact id holds letters and digits only');
    return path.join(folder, artifactId);
  };

  const faultOf = (artifact: Known): FileFault | undefined => {
    const size = statSync(fileOf(artifact.id), { throwIfNoEntry: false })?.size;
    if (size === artifact.sizeBytes) {
      logged.delete(artifact.id);
      return undefined;
    }
    const fault = size === undefined ? 'Missing' : 'Damaged';
    note(artifact, fault);
    return fault;
  };
  for (const artifact of artifacts) faultOf(artifact);

  return {
    setAside,
    faultOf,

    receive: async (bytes, most) => {
      const file = path.join(arriving, newId(20));
      try {
        const handle = await open(file, 'wx', 0o600);
        const hash = createHash('sha256');
        let sizeBytes = 0;
        try {
          for await (const part of bytes) {
            sizeBytes += part.length;
            if (sizeBytes >= most)
              throw new Problem(
                413,
                'The file is too large',
                `An artifact must be smaller than ${most / 1024 / 1024} MB (${most.toLocaleString('en')} bytes).`,
              );
            hash.update(part);
            await handle.writeFile(part);
          }
          await handle.sync();
        } finally {
          await handle.close();
        }
        return { file, sizeBytes, sha256: hash.digest('hex') };
      } catch (cause) {
        await rm(file, { force: true });
        throw inWords(cause);
      }
    },

    store: async ({ file }, artifactId) => {
      try {
        await rename(file, fileOf(artifactId));
        await syncFolder(folder);
      } catch (cause) {
        throw inWords(cause);
      }
    },

    discard: ({ file }) => rm(file, { force: true }),

    open: async (artifact) => {
      const fault = faultOf(artifact);
      if (fault) throw new Problem(410, 'The file of this artifact cannot be used', fileFaultText(artifact, fault));
      return open(fileOf(artifact.id), 'r');
    },

    remove: (artifactId) => rm(fileOf(artifactId), { force: true }),
  };
}
