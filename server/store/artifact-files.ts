// The bytes of artifacts: one file each in DATA_DIR/artifacts. A file gets its final name only when it is complete and
// on disk, so that a crash can leave an unneeded file (removed at the next start) but never half an artifact.
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

/** Received bytes on disk, under a temporary name. */
export interface Received {
  file: string;
  sizeBytes: number;
  sha256: string;
}

/** What the database records about an artifact's file. */
interface Known {
  id: string;
  name: string;
  version: string;
  sizeBytes: number;
}

/** `Missing`: there is no file; `Damaged`: its size differs from the upload. */
export type FileFault = 'Missing' | 'Damaged';

export interface ArtifactFiles {
  /** Files without an artifact that were set aside at the start. */
  setAside: { count: number; folder: string };
  /** Writes a stream to disk; refuses `limit` bytes or more, and leaves nothing behind after an error. */
  receive(bytes: AsyncIterable<Buffer>, limit: number): Promise<Received>;
  /** Renames the received bytes to an artifact's file. */
  store(received: Received, artifactId: string): Promise<void>;
  discard(received: Received): Promise<void>;
  /** What is wrong with the file; logged once. */
  faultOf(artifact: Known): FileFault | undefined;
  /** Opens the whole file for reading; refuses a missing or damaged one. */
  open(artifact: Known): Promise<FileHandle>;
  remove(artifactId: string): Promise<void>;
}

/** Describes disk errors; returns all others unchanged. */
function describeError(cause: unknown): unknown {
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

/** Describes the fault for users who need the artifact. */
export const fileFaultText = ({ name, version }: Pick<Known, 'name' | 'version'>, fault: FileFault): string =>
  `The file of ${name} ${version} is ${fault === 'Missing' ? 'missing' : 'damaged'} on the service: upload that artifact again.`;

const folderOf = (dataDir: string) => path.join(dataDir, 'artifacts');

/**
 * Refuses to start without the database of the artifacts: a new one would know none of them.
 * `isEmpty`: the file exists without tables.
 */
export function requireDatabaseOfFiles(dataDir: string, database: string, { isEmpty = false } = {}): void {
  const size = fileSize(database);
  if (size > 0 && !isEmpty) return;
  const files = statSync(folderOf(dataDir), { throwIfNoEntry: false })
    ? readdirSync(folderOf(dataDir), { withFileTypes: true }).filter((entry) => entry.isFile()).length
    : 0;
  // SQLite would discard a log without its database.
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

/** A rename is durable only after its folder is flushed. */
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
  /** Whether an artifact with this id was deleted, so that its file can be removed. */
  wasDeleted: (artifactId: string) => boolean;
  /** The disk refuses writes. */
  readOnly?: boolean;
}

/**
 * Opens the folder of artifacts. Removes unfinished uploads and the files of deleted artifacts. Any other file without
 * an artifact is set aside, because the database may be an older, restored one. Must run before uploads are accepted.
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
  // Ids consist of letters and digits; any other must never become part of a path.
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

    receive: async (bytes, limit) => {
      const file = path.join(arriving, newId(20));
      try {
        const handle = await open(file, 'wx', 0o600);
        const hash = createHash('sha256');
        let sizeBytes = 0;
        try {
          for await (const part of bytes) {
            sizeBytes += part.length;
            if (sizeBytes >= limit)
              throw new Problem(
                413,
                'The file is too large',
                `An artifact must be smaller than ${limit / 1024 / 1024} MB (${limit.toLocaleString('en')} bytes).`,
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
        throw describeError(cause);
      }
    },

    store: async ({ file }, artifactId) => {
      try {
        await rename(file, fileOf(artifactId));
        await syncFolder(folder);
      } catch (cause) {
        throw describeError(cause);
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
