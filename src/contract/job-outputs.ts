// The output of jobs: in pieces for following one log, and the tails of many logs.
import * as z from 'zod/mini';
import { number, text } from '#/contract/endpoint.ts';

/** Position of a reader in a stream, in bytes. */
export const offset = z.optional(z.string().check(z.regex(/^\d{1,12}$/, 'must be a whole number of bytes')));

/** A piece of a stream. Offsets count bytes; a piece never begins or ends within a character. */
export const outputPiece = z.object({
  Text: z.string(),
  /** Start of the piece: the requested offset, unless the stream is shorter or the offset is within a character. */
  Offset: number,
  /** The start of the next piece. */
  Next: number,
  /** Size of the stream so far. */
  Size: number,
});
export type OutputPiece = z.output<typeof outputPiece>;

/** Consecutive output of one stream, in order of arrival. */
export const arrivedPiece = z.object({
  Stream: z.enum(['stdout', 'stderr']),
  /** Byte offset of its start. */
  Offset: number,
  Next: number,
  /** Its length in the stream's Text, in UTF-16 code units. */
  Length: number,
  /** When its first byte arrived. */
  Time: text,
});

/** Most children in one request for outputs. */
export const MOST_OUTPUTS = 200;
export const childIds = z
  .string()
  .check(
    z.refine(
      (ids) => ids !== '' && ids.split(',').length <= MOST_OUTPUTS,
      `must be 1 to ${MOST_OUTPUTS} ids with commas`,
    ),
  );

export const childOutput = z.object({
  JobId: z.string(),
  Stdout: z.string(),
  Stderr: z.string(),
  /** Why the job ended, which the streams do not contain. */
  Result: text,
});
export type ChildOutput = z.output<typeof childOutput>;
