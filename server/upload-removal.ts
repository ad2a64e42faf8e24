// Removes the bytes of uploads that were finished, given up or never went on, and then their records. If the bytes cannot be
// removed, the record stays, and the next run tries again.
import type { ArtifactFiles } from './store/artifact-files.ts';
import type { Database } from './store/database.ts';
import { deleteUpload, endedUploads } from './store/uploads.ts';

interface UploadRemovalOptions {
  db: Database;
  files: Pick<ArtifactFiles, 'pieces'>;
}

export async function removeUpload(
  { db, files }: UploadRemovalOptions,
  { seq, id }: { seq: number; id: string },
): Promise<void> {
  await files.pieces.remove(id);
  await db.write((tx) => deleteUpload(tx, seq), { essential: true });
}

export function openUploadRemoval(options: UploadRemovalOptions & { now: () => number }): () => Promise<void> {
  return async () => {
    for (const upload of await endedUploads(options.db, options.now())) await removeUpload(options, upload);
  };
}
