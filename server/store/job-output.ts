// The output of commands, stored in chunks. Each chunk has its offset in the stream, so that a chunk that is sent again
// after a lost connection is not stored twice.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Stream } from '#/contract/agent-link.ts';
import type { Reader, Tx } from './database.ts';
import { perDialect } from './dialect.ts';
import { isOwnDevice } from './scope.ts';
import type { Scope } from './scope.ts';

const NUMBER = { stdout: 1, stderr: 2 } as const;

interface Chunk {
  offset: number;
  bytes: Uint8Array;
}

/**
 * Small messages are appended to a chunk up to this size, so that they need few rows. Every append rewrites the chunk,
 * which is several times as expensive above 2 kB, where PostgreSQL stores the value outside the row.
 */
const MAX_APPENDED_BYTES = 1900;
/** Larger messages are split into chunks of this size. */
const MAX_CHUNK_BYTES = 64 * 1024;

const APPEND = perDialect(
  (sql) => `UPDATE job_output SET bytes = ${sql.appended('bytes')} WHERE job_seq = ?2 AND stream = ?3 AND "offset" >= ?4
     AND "offset" = (SELECT max("offset") FROM job_output WHERE job_seq = ?2 AND stream = ?3)`,
);

/** Adds the bytes after `offset`; does nothing if the job was deleted in the meantime. */
export async function appendOutput(
  tx: Tx,
  jobSeq: number,
  stream: Stream,
  offset: number,
  bytes: Uint8Array,
): Promise<void> {
  const earliest = offset + bytes.length - MAX_APPENDED_BYTES;
  if (earliest < offset && (await tx.run(APPEND(tx), bytes, jobSeq, NUMBER[stream], earliest)).changes > 0) return;
  for (let at = 0; at < bytes.length; at += MAX_CHUNK_BYTES)
    await tx.run(
      'INSERT INTO job_output (job_seq, stream, "offset", bytes) SELECT seq, ?, ?, ? FROM jobs WHERE seq = ?',
      NUMBER[stream],
      offset + at,
      bytes.subarray(at, at + MAX_CHUNK_BYTES),
      jobSeq,
    );
}

export const outputSize = async (db: Reader, jobSeq: number, stream: Stream): Promise<number> =>
  (
    await db.get<{ size: number }>(
      `SELECT "offset" + length(bytes) AS size FROM job_output WHERE job_seq = ? AND stream = ?
     ORDER BY "offset" DESC LIMIT 1`,
      jobSeq,
      NUMBER[stream],
    )
  )?.size ?? 0;

/** Chunks per read: earlier versions stored one chunk for each message, millions of them for some jobs. */
const SLICE = 1000;

/** Reads a stream from `from` up to, not including, `to`, in slices that are quick to read. */
export async function* slicesOf(
  db: Reader,
  jobSeq: number,
  stream: Stream,
  from: number,
  to: number,
): AsyncGenerator<Buffer> {
  for (let at = from; at < to;) {
    const chunks = await db.all<Chunk>(
      `SELECT "offset", bytes FROM job_output WHERE job_seq = ?1 AND stream = ?2 AND "offset" < ?4 AND "offset" >= coalesce(
         (SELECT max("offset") FROM job_output WHERE job_seq = ?1 AND stream = ?2 AND "offset" <= ?3), 0)
       ORDER BY "offset" LIMIT ?5`,
      jobSeq,
      NUMBER[stream],
      at,
      to,
      SLICE,
    );
    const begins = chunks[0]?.offset ?? 0;
    const slice = Buffer.concat(chunks.map(({ bytes }) => bytes)).subarray(Math.max(0, at - begins), to - begins);
    if (slice.length === 0) return;
    yield slice;
    if (chunks.length < SLICE) return;
    at += slice.length;
  }
}

/** Reads a stream from `from` up to, not including, `to`; yields to other work between slices. */
export async function readOutput(
  db: Reader,
  jobSeq: number,
  stream: Stream,
  from = 0,
  to: number = Number.MAX_SAFE_INTEGER,
): Promise<Buffer> {
  const slices: Buffer[] = [];
  for await (const slice of slicesOf(db, jobSeq, stream, from, to)) {
    if (slices.length > 0) await nextTurn();
    slices.push(slice);
  }
  return slices.length === 1 && slices[0] ? slices[0] : Buffer.concat(slices);
}

const OUTPUTS = perDialect(
  (sql) => `SELECT job_seq, stream, bytes FROM job_output
    WHERE job_seq IN (SELECT CAST(w.value AS BIGINT) FROM ${sql.list('w')}) ORDER BY job_seq, stream, "offset"`,
);

/** Both streams of several jobs whose total output is small. */
export async function smallOutputs(
  db: Reader,
  jobSeqs: readonly number[],
): Promise<(jobSeq: number) => [Buffer, Buffer]> {
  const chunks = new Map<string, Uint8Array[]>();
  const rows = await db.all<{ job_seq: number; stream: number; bytes: Uint8Array }>(
    OUTPUTS(db),
    JSON.stringify(jobSeqs),
  );
  for (const { job_seq, stream, bytes } of rows) {
    const key = `${job_seq} ${stream}`;
    chunks.set(key, [...(chunks.get(key) ?? []), bytes]);
  }
  const streamOf = (jobSeq: number, stream: Stream) => Buffer.concat(chunks.get(`${jobSeq} ${NUMBER[stream]}`) ?? []);
  return (jobSeq) => [streamOf(jobSeq, 'stdout'), streamOf(jobSeq, 'stderr')];
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;
/** The number of bytes in a UTF-8 character, by its first byte. */
const lengthOf = (first: number) => (first < 0xc2 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 1);

/** The length of these bytes without an incomplete last character. */
export function completeLength(bytes: Uint8Array): number {
  for (let at = bytes.length - 1; at >= Math.max(0, bytes.length - 3); at--) {
    const byte = bytes[at] ?? 0;
    if (!isContinuation(byte)) return at + lengthOf(byte) > bytes.length ? at : bytes.length;
  }
  return bytes.length;
}

export interface OutputPart {
  bytes: Buffer;
  /** The offsets of this part and of the next one. */
  from: number;
  next: number;
  size: number;
  more: boolean;
}

/**
 * At most `limit` bytes of a stream from `asked` on, in complete characters: an incomplete character comes with the
 * next part, or as it is if the stream is `over`.
 */
export async function readPart(
  db: Reader,
  jobSeq: number,
  stream: Stream,
  { asked, limit, over }: { asked: number; limit: number; over: boolean },
): Promise<OutputPart> {
  const size = await outputSize(db, jobSeq, stream);
  const before = Math.min(asked, size);
  const margin = Math.min(3, before);
  const bytes = await readOutput(db, jobSeq, stream, before - margin, Math.min(before + limit, size));
  // A client that counts differently may request the middle of a character.
  const back = isContinuation(bytes[margin]) ? margin - completeLength(bytes.subarray(0, margin)) : 0;
  const part = bytes.subarray(margin - back);
  const from = before - back;
  const last = from + part.length >= size;
  const complete = last && over ? part : part.subarray(0, completeLength(part));
  return { bytes: complete, from, next: from + complete.length, size, more: !last };
}

export async function beginningOf(db: Reader, jobSeq: number, stream: Stream, bytes: number): Promise<Buffer> {
  const row = await db.get<{ bytes: Uint8Array }>(
    'SELECT substr(bytes, 1, ?) AS bytes FROM job_output WHERE job_seq = ? AND stream = ? ORDER BY "offset" LIMIT 1',
    bytes,
    jobSeq,
    NUMBER[stream],
  );
  return Buffer.from(row?.bytes ?? []);
}

/** The bytes so far of the unfinished children of a parent. */
export const outputOfOpenChildren = (db: Reader, scope: Scope, parentSeq: number): Promise<number> =>
  outputOf(db, scope, parentSeq, ' AND c.ended IS NULL');

/** The bytes of all children of a parent. */
export const outputOfChildren = (db: Reader, scope: Scope, parentSeq: number): Promise<number> =>
  outputOf(db, scope, parentSeq, '');

async function outputOf(db: Reader, scope: Scope, parentSeq: number, condition: string): Promise<number> {
  const own = isOwnDevice(db.dialect, scope, { seq: 'c.device_seq' });
  const row = await db.get<{ size: number | null }>(
    `SELECT sum(length(o.bytes)) AS size FROM jobs c JOIN job_output o ON o.job_seq = c.seq
     WHERE c.parent_seq = ?${condition}${own.sql}`,
    parentSeq,
    ...own.values,
  );
  return row?.size ?? 0;
}
