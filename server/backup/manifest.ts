// The format of a backup: a tar file with manifest.json, the artifacts, the rows of all tables as gzipped JSON lines,
// summary.json, and the SHA-256 of each of these in SHA256SUMS. Up to format 2 it contained the SQLite file instead of
// rows, and the manifest came last.
import * as z from 'zod/mini';

export const MANIFEST = 'manifest.json';
export const SUMMARY = 'summary.json';
export const SUMS = 'SHA256SUMS';
export const ARTIFACT = /^artifacts\/([a-z0-9]+)$/;
/** The first line names the columns. */
export const ROWS = /^rows\/([a-z0-9_]+)\/\d+\.jsonl\.gz$/;
export const DATABASE_FILE = 'muster.db';

/** Incremented when older versions could no longer restore it. */
export const FORMAT = 3;

/** What is known before anything is read. */
export const manifestSchema = z.object({
  Format: z.literal(FORMAT),
  /** The version of Muster. */
  Version: z.string(),
  Engine: z.enum(['SQLite', 'PostgreSQL']),
  /** The version of the tables. */
  Schema: z.number(),
  /** The statements that create the tables of that version in SQLite, where later versions upgrade them. */
  Definitions: z.array(z.string()),
  /** The time of the snapshot: everything acknowledged before is included. */
  Time: z.string(),
  /** Whether a service was using the database then. */
  Running: z.boolean(),
  /** The S3 store that the artifacts were left in. */
  ArtifactsIn: z.optional(z.string()),
});
export type Manifest = z.output<typeof manifestSchema>;

/** What is known after everything was read. */
export const summarySchema = z.object({
  /** The number of rows in each table. */
  Rows: z.record(z.string(), z.number()),
  /** The highest numbers ever used in counters. */
  Counters: z.record(z.string(), z.string()),
  /** Artifacts whose bytes were missing or damaged. */
  Damaged: z.array(z.string()),
});
export type Summary = z.output<typeof summarySchema>;

/** The manifest of formats 1 and 2. */
export const earlierSchema = z.object({
  Format: z.literal([1, 2]),
  /** The version of Muster. */
  Version: z.string(),
  Time: z.string(),
  /** The version of the tables. */
  Tables: z.number(),
  Parts: z.array(z.object({ Path: z.string(), Bytes: z.number(), Sha256: z.string() })),
  Damaged: z.array(z.string()),
  ArtifactStore: z.optional(z.object({ Url: z.string() })),
});
