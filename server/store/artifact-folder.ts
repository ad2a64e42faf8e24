// Artifacts as files in DATA_DIR/artifacts, one each. A file gets its final name only when it is complete and on disk, so
// that a crash can leave an unneeded file (removed at the next start) but never half an artifact.
import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { ConfigError } from '../config-error.ts';
import {
  artifactFolder,
  describeDiskError,
  emptyArriving,
  openFaultLog,
  openPieceFolders,
  receiveFile,
  requireId,
  syncFolder,
  unusableFile,
} from './artifact-files.ts';
import type { ArtifactFiles, ArtifactRecords, ByteRange, FileFault, KnownFile } from './artifact-files.ts';
import { fileSize } from './database-file.ts';

/**
 * Refuses to start if the database that belongs to the artifacts is missing: a new one would know none of them.
 * `isEmpty` means that the file exists but has no tables.
 */
export function requireDatabaseOfFiles(dataDir: string, database: string, { isEmpty = false } = {}): void {
  const size = fileSize(database);
  if (size > 0 && !isEmpty) return;
  const files = statSync(artifactFolder(dataDir), { throwIfNoEntry: false })
    ? readdirSync(artifactFolder(dataDir), { withFileTypes: true }).filter((entry) => entry.isFile()).length
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

export interface ArtifactFolderOptions {
  dataDir: string;
  records: ArtifactRecords;
  /** The disk is read-only. */
  readOnly?: boolean;
  /** No other node uses the folder, so unfinished uploads are leftovers. */
  isAlone?: boolean;
}

/** Part of a file; throws if the file has become shorter, so that the client does not wait for the rest. */
async function* partOfFile(handle: FileHandle, { start, end }: ByteRange): AsyncGenerator<Buffer> {
  let left = end - start + 1;
  for await (const part of handle.createReadStream({ start, end })) {
    left -= (part as Buffer).length;
    yield part as Buffer;
  }
  if (left > 0) throw new Error(`The file of an artifact became ${left} bytes shorter while it was sent`);
}

/**
 * Removes unfinished uploads and the files of deleted artifacts. Any other file without an artifact is set aside,
 * because the database may have been restored from an older backup. Returns how many were set aside.
 */
async function sweep(dataDir: string, { wasDeleted }: ArtifactRecords, known: Set<string>): Promise<number> {
  const folder = artifactFolder(dataDir);
  const aside = asideFolder(dataDir);
  emptyArriving(dataDir);
  let count = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isFile() || known.has(entry.name)) continue;
    if (await wasDeleted(entry.name)) {
      rmSync(path.join(folder, entry.name), { force: true });
      continue;
    }
    mkdirSync(aside, { recursive: true, mode: 0o700 });
    renameSync(path.join(folder, entry.name), path.join(aside, entry.name));
    count += 1;
  }
  return count;
}

const asideFolder = (dataDir: string) => path.join(dataDir, 'artifacts-set-aside');

/** Opens the folder of artifacts. Must run before uploads are accepted. */
export async function openArtifactFolder({
  dataDir,
  records,
  readOnly,
  isAlone = true,
}: ArtifactFolderOptions): Promise<ArtifactFiles> {
  const folder = artifactFolder(dataDir);
  const artifacts = await records.all();
  const setAside = readOnly || !isAlone ? 0 : await sweep(dataDir, records, new Set(artifacts.map(({ id }) => id)));
  const faults = openFaultLog();
  const fileOf = (artifactId: string) => path.join(folder, requireId(artifactId));

  const faultOf = (artifact: KnownFile): FileFault | undefined => {
    const file = fileOf(artifact.id);
    const size = statSync(file, { throwIfNoEntry: false })?.size;
    if (size === artifact.sizeBytes) {
      faults.forget(artifact.id);
      return undefined;
    }
    const fault = size === undefined ? 'Missing' : 'Damaged';
    faults.note(artifact, fault, file);
    return fault;
  };
  for (const artifact of artifacts) faultOf(artifact);

  const requireUsable = async (artifact: KnownFile) => {
    const fault = faultOf(artifact);
    if (fault) throw unusableFile(artifact, fault);
  };

  return {
    notes:
      setAside > 0
        ? [`${setAside} artifact files that the database does not know are now in ${asideFolder(dataDir)}.`]
        : [],
    faultOf,
    requireUsable,
    receive: (bytes, limit) => receiveFile(dataDir, bytes, limit),

    store: async ({ file }, artifactId) => {
      try {
        await rename(file, fileOf(artifactId));
        await syncFolder(folder);
      } catch (cause) {
        throw describeDiskError(cause);
      }
    },

    discard: ({ file }) => rm(file, { force: true }),
    pieces: openPieceFolders(dataDir),

    read: async (artifact, part) => {
      await requireUsable(artifact);
      return partOfFile(await open(fileOf(artifact.id), 'r'), part);
    },

    remove: (artifactId) => rm(fileOf(artifactId), { force: true }),
    // disk-space.ts watches the disk.
    problem: async () => undefined,
    close: async () => {},
  };
}
