// The bytes of artifacts, wherever they are stored: one interface, and what its implementations share. An upload goes
// to a temporary file in DATA_DIR, is checked, and is then stored under the artifact's id.
import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync, rmSync } from 'node:fs';
import { mkdir, open, rename, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { FileUnusable, TooLarge, Unavailable } from './errors.ts';
import { isFull, systemFault } from './system-fault.ts';
import { log } from '../operation/log.ts';
import { newId } from './ids.ts';

/** Received bytes on disk, under a temporary name. */
export interface Received {
  file: string;
  sizeBytes: number;
  sha256: string;
}

export interface ByteRange {
  start: number;
  /** The last byte, inclusive. */
  end: number;
}

/** What the database records about an artifact's file. */
export interface KnownFile {
  id: string;
  name: string;
  version: string;
  sizeBytes: number;
  sha256: string;
}

/** `Missing`: there is no file; `Damaged`: its size or its bytes differ from the upload. */
export type FileFault = 'Missing' | 'Damaged';

/**
 * The bytes of unfinished uploads, in pieces with names that are never used twice, so that any node can go on, and nothing
 * changes what is stored.
 */
export interface UploadPieces {
  /** Makes the received bytes a piece; it is durable when this resolves. After an error nothing of it is left. */
  put(uploadId: string, name: string, received: Received): Promise<void>;
  read(uploadId: string, names: readonly string[]): AsyncIterable<Uint8Array>;
  /** Removes these pieces of an upload, or all. */
  remove(uploadId: string, names?: readonly string[]): Promise<void>;
}

export interface ArtifactFiles {
  /** Findings at startup, as sentences for the operator. */
  readonly notes: readonly string[];
  /** Writes a stream to disk; refuses `limit` bytes or more, and leaves nothing behind after an error. */
  receive(bytes: AsyncIterable<Uint8Array>, limit: number): Promise<Received>;
  /** Makes the received bytes an artifact's file; it is durable when this resolves. */
  store(received: Received, artifactId: string): Promise<void>;
  discard(received: Received): Promise<void>;
  readonly pieces: UploadPieces;
  /** What is wrong with the file, as far as is known without reading it; logged once. */
  faultOf(artifact: KnownFile): FileFault | undefined;
  /** Refuses a missing or damaged file. */
  requireUsable(artifact: KnownFile): Promise<void>;
  /** The bytes of a range, or of the whole file; refuses a missing or damaged file, and throws if it ends too early. */
  read(artifact: KnownFile, part: ByteRange): Promise<AsyncIterable<Uint8Array>>;
  /** Resolves once the caller need not wait any longer, at the latest when the file is removed. */
  remove(artifactId: string): Promise<void>;
  /** Why files can currently be neither stored nor read, as a sentence without its subject. */
  problem(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** The records that files are compared with. */
export interface ArtifactRecords {
  /** The artifacts of all accounts. */
  all: () => KnownFile[] | Promise<KnownFile[]>;
  /** Whether an artifact with this id was deleted, so that its file can be removed. */
  wasDeleted: (artifactId: string) => boolean | Promise<boolean>;
}

/** Ids consist of letters and digits; anything else must never become part of a path. */
export function requireId(artifactId: string): string {
  if (!/^[a-z0-9]+$/.test(artifactId)) throw new TypeError('An artifact id holds letters and digits only');
  return artifactId;
}

/** Folder in DATA_DIR for artifacts and unfinished uploads. */
export const artifactFolder = (dataDir: string) => path.join(dataDir, 'artifacts');
const arrivingFolder = (dataDir: string) => path.join(artifactFolder(dataDir), 'arriving');

/** Describes disk errors; returns all others unchanged. */
export function describeDiskError(cause: unknown): unknown {
  const fault = systemFault(cause);
  if (!fault) return cause;
  const detail = isFull(cause)
    ? 'Nothing was kept. Delete artifacts, or free space on the disk that holds DATA_DIR, then upload again.'
    : (fault.detail ?? '');
  const { retryAfterSeconds } = fault;
  return new Unavailable(`The service cannot store the file: ${fault.message}`, detail, { retryAfterSeconds, cause });
}

/** Describes the fault for users who need the artifact. */
export const fileFaultText = ({ name, version }: Pick<KnownFile, 'name' | 'version'>, fault: FileFault): string =>
  `The file of ${name} ${version} is ${fault === 'Missing' ? 'missing' : 'damaged'} on the service: upload that artifact again.`;

/** The refusal of a download whose file is missing or damaged. */
export const unusableFile = (artifact: KnownFile, fault: FileFault): FileUnusable =>
  new FileUnusable('The file of this artifact cannot be used', fileFaultText(artifact, fault));

/** Logs each fault once, until the file is intact again. */
export function openFaultLog() {
  const logged = new Set<string>();
  return {
    note: (artifact: KnownFile, fault: FileFault, file: string) => {
      if (logged.has(artifact.id)) return;
      logged.add(artifact.id);
      log.warn(`artifacts: ${fileFaultText(artifact, fault)}`, { file });
    },
    forget: (artifactId: string) => void logged.delete(artifactId),
  };
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

/** Pieces as files in DATA_DIR, in a folder for each upload. */
export function openPieceFolders(dataDir: string): UploadPieces {
  const folderOf = (uploadId: string) => path.join(artifactFolder(dataDir), 'uploads', requireId(uploadId));
  const fileOf = (uploadId: string, name: string) => path.join(folderOf(uploadId), requireId(name));
  return {
    put: async (uploadId, name, { file }) => {
      const folder = folderOf(uploadId);
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await rename(file, fileOf(uploadId, name));
        await syncFolder(folder);
        await syncFolder(path.dirname(folder));
      } catch (cause) {
        for (const left of [file, fileOf(uploadId, name)]) await rm(left, { force: true });
        throw describeDiskError(cause);
      }
    },
    async *read(uploadId, names) {
      for (const name of names) yield* createReadStream(fileOf(uploadId, name)) as AsyncIterable<Buffer>;
    },
    remove: async (uploadId, names) => {
      if (names === undefined) return rm(folderOf(uploadId), { recursive: true, force: true });
      for (const name of names) await rm(fileOf(uploadId, name), { force: true });
      // An upload that has ended leaves no folder. Of others it is not empty, or made again.
      await rmdir(folderOf(uploadId)).catch(() => {});
    },
  };
}

/** Removes the uploads that the last run did not finish. */
export function emptyArriving(dataDir: string): void {
  rmSync(arrivingFolder(dataDir), { recursive: true, force: true });
  mkdirSync(arrivingFolder(dataDir), { recursive: true, mode: 0o700 });
}

/** Receives an upload under a temporary name. */
export async function receiveFile(dataDir: string, bytes: AsyncIterable<Uint8Array>, limit: number): Promise<Received> {
  const file = path.join(arrivingFolder(dataDir), newId(20));
  try {
    const handle = await open(file, 'wx', 0o600);
    const hash = createHash('sha256');
    let sizeBytes = 0;
    try {
      for await (const part of bytes) {
        sizeBytes += part.length;
        if (sizeBytes >= limit)
          throw new TooLarge(
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
    throw describeDiskError(cause);
  }
}
