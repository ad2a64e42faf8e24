// The bytes of artifacts: one file each under DATA_DIR/artifacts. A file gets its final name only when it is whole and
// on disk, so a crash can leave something unneeded behind (swept at the next start) but never half an artifact.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { newId } from '../ids.ts';
import { Problem } from '../problem.ts';

/** Bytes that arrived and are on disk, under a name that only this upload knows. */
export interface Received {
  file: string;
  sizeBytes: number;
  sha256: string;
}

export interface ArtifactFiles {
  /** Writes a stream to disk; refuses `most` bytes or more, and leaves nothing behind where it throws. */
  receive(bytes: AsyncIterable<Buffer>, most: number): Promise<Received>;
  /** Makes what was received the file of an artifact, for good. */
  keep(received: Received, artifactId: string): Promise<void>;
  discard(received: Received): Promise<void>;
  /** The file, open for reading; undefined where there is none. */
  open(artifactId: string): Promise<FileHandle | undefined>;
  remove(artifactId: string): Promise<void>;
}

const codeOf = (cause: unknown) => (cause instanceof Error && 'code' in cause ? cause.code : undefined);

/** Says which disk is full or broken; everything else stays what it is. */
function inWords(cause: unknown): unknown {
  const code = codeOf(cause);
  if (code !== 'ENOSPC' && code !== 'EDQUOT' && code !== 'EIO' && code !== 'EROFS') return cause;
  const detail =
    code === 'ENOSPC' || code === 'EDQUOT'
      ? 'Nothing was kept. Delete artifacts, or free space on the disk that holds DATA_DIR, then upload again.'
      : 'Nothing was kept. The operator should look at the disk that holds DATA_DIR.';
  return new Problem(503, 'The service cannot store the file', detail, { headers: { 'Retry-After': '60' } });
}

/** A rename is on disk only once its folder is. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Opens the folder of artifacts and removes from it what belongs to none of them: uploads that a crash cut off, and
 * artifacts that were deleted just before one. Nothing may be uploading yet.
 */
export function openArtifactFiles(dataDir: string, artifactIds: ReadonlySet<string>): ArtifactFiles {
  const folder = path.join(dataDir, 'artifacts');
  const arriving = path.join(folder, 'arriving');
  rmSync(arriving, { recursive: true, force: true });
  mkdirSync(arriving, { recursive: true, mode: 0o700 });
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isFile() && !artifactIds.has(entry.name)) rmSync(path.join(folder, entry.name), { force: true });
  // Ids are ours (letters and digits); one that is not must never become a path.
  const fileOf = (artifactId: string) => {
    if (!/^[a-z0-9]+$/.test(artifactId)) throw new TypeError('An artifact id holds letters and digits only');
    return path.join(folder, artifactId);
  };

  return {
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

    keep: async ({ file }, artifactId) => {
      try {
        await rename(file, fileOf(artifactId));
        await syncFolder(folder);
      } catch (cause) {
        throw inWords(cause);
      }
    },

    discard: ({ file }) => rm(file, { force: true }),

    open: async (artifactId) => {
      try {
        return await open(fileOf(artifactId), 'r');
      } catch (cause) {
        if (codeOf(cause) === 'ENOENT') return undefined;
        throw cause;
      }
    },

    remove: (artifactId) => rm(fileOf(artifactId), { force: true }),
  };
}
