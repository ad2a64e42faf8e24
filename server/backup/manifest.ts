// The content of a backup: one tar file with the artifacts, the database, and this list of them at its end.
import * as z from 'zod/mini';

export const DATABASE_PART = 'muster.db';
export const MANIFEST_PART = 'manifest.json';
export const ARTIFACT_PART = /^artifacts\/([a-z0-9]+)$/;

/** Incremented when an older restore could no longer read the format: 2 can leave artifacts in their store. */
export const FORMAT = 2;
/** Of a backup that contains all artifacts. */
export const FORMAT_WITH_ARTIFACTS = 1;

export const manifestSchema = z.object({
  Format: z.literal([FORMAT_WITH_ARTIFACTS, FORMAT]),
  /** Of Muster, and of its database. */
  Version: z.string(),
  Tables: z.number(),
  /** When the database was copied: everything acknowledged before is included. */
  Time: z.string(),
  Parts: z.array(z.object({ Path: z.string(), Bytes: z.number(), Sha256: z.string() })),
  /** Artifacts whose file was missing or damaged. */
  Damaged: z.array(z.string()),
  /** Artifacts that are in an S3 store instead of in the backup. */
  ArtifactStore: z.optional(
    z.object({
      Url: z.string(),
      Artifacts: z.array(z.object({ Id: z.string(), Bytes: z.number(), Sha256: z.string() })),
    }),
  ),
});
export type Manifest = z.output<typeof manifestSchema>;
