// What a backup is: a tar file of manifest.json, the artifacts, the rows of all tables in gzipped lines of JSON,
// summary.json, and the SHA-256 of each of these in SHA256SUMS. Until format 2 it had the SQLite file instead of rows,
// and its manifest was last.
import * as z from 'zod/mini';

export const MANIFEST = 'manifest.json';
export const SUMMARY = 'summary.json';
export const SUMS = 'SHA256SUMS';
export const ARTIFACT = /^artifacts\/([a-z0-9]+)$/;
/** The first line names the columns. */
export const ROWS = /^rows\/([a-z0-9_]+)\/\d+\.jsonl\.gz$/;
export const DATABASE_FILE = 'muster.db';

/** Incremented when an older restore could no longer read it. */
export const FORMAT = 3;

/** Known before anything is read. */
export const manifestSchema = z.object({
  Format: z.literal(FORMAT),
  /** Of Muster. */
  Version: z.string(),
  Engine: z.enum(['SQLite', 'PostgreSQL']),
  /** The version of the tables. */
  Schema: z.number(),
  /** Creates the tables of that version in SQLite, where later versions bring them up to date. */
  Definitions: z.array(z.string()),
  /** As of when: everything acknowledged before is included. */
  Time: z.string(),
  /** Whether a service used the database then. */
  Running: z.boolean(),
  /** The S3 store that the artifacts were left in. */
  ArtifactsIn: z.optional(z.string()),
});
export type Manifest = z.output<typeof manifestSchema>;

/** Known when everything was read. */
export const summarySchema = z.object({
  /** How many rows each table has. */
  Rows: z.record(z.string(), z.number()),
  /** The highest numbers that were ever used. */
  Counters: z.record(z.string(), z.string()),
  /** Artifacts whose bytes were missing or damaged. */
  Damaged: z.array(z.string()),
});
export type Summary = z.output<typeof summarySchema>;

/** Of formats 1 and 2. */
export const earlierSchema = z.object({
  Format: z.literal([1, 2]),
  /** Of Muster. */
  Version: z.string(),
  Time: z.string(),
  /** The version of the tables. */
  Tables: z.number(),
  Parts: z.array(z.object({ Path: z.string(), Bytes: z.number(), Sha256: z.string() })),
  Damaged: z.array(z.string()),
  ArtifactStore: z.optional(z.object({ Url: z.string() })),
});
