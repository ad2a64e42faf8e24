// What commands print, in pieces as they arrived. A piece knows its place in the stream, so one that comes again after
// a lost connection is not stored twice.
import type { Stream } from '#/contract/agent-link.ts';
import type { Reader, Tx } from './database.ts';

const NUMBER = { stdout: 1, stderr: 2 } as const;

interface Piece {
  offset: number;
  bytes: Uint8Array;
}

/** Adds a piece; nothing happens when the job was deleted in the meantime. */
export const appendOutput = (tx: Tx, jobSeq: number, stream: Stream, offset: number, bytes: Uint8Array) =>
  tx.run(
    'INSERT INTO job_output (job_seq, stream, offset, bytes) SELECT seq, ?, ?, ? FROM jobs WHERE seq = ?',
    NUMBER[stream],
    offset,
    bytes,
    jobSeq,
  );

/** Bytes stored of a stream. */
export const outputSize = (db: Reader, jobSeq: number, stream: Stream): number =>
  db.get<{ size: number }>(
    `SELECT offset + length(bytes) AS size FROM job_output WHERE job_seq = ? AND stream = ?
     ORDER BY offset DESC LIMIT 1`,
    jobSeq,
    NUMBER[stream],
  )?.size ?? 0;

/** A stream from `from` up to, not including, `to`. */
export function readOutput(
  db: Reader,
  jobSeq: number,
  stream: Stream,
  from = 0,
  to: number = Number.MAX_SAFE_INTEGER,
): Buffer {
  const pieces = db.all<Piece>(
    `SELECT offset, bytes FROM job_output
     WHERE job_seq = ? AND stream = ? AND offset < ? AND offset + length(bytes) > ? ORDER BY offset`,
    jobSeq,
    NUMBER[stream],
    to,
    from,
  );
  const begins = pieces[0]?.offset ?? 0;
  return Buffer.concat(pieces.map((piece) => piece.bytes)).subarray(Math.max(0, from - begins), to - begins);
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;
/** How many bytes a character of UTF-8 has, by its first. */
const lengthOf = (first: number) => (first < 0xc2 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 1);

/** Where the last character of these bytes begins, when it is not whole; else their end. */
export function endOfWhole(bytes: Uint8Array): number {
  for (let at = bytes.length - 1; at >= Math.max(0, bytes.length - 3); at--) {
    const byte = bytes[at] ?? 0;
    if (!isContinuation(byte)) return at + lengthOf(byte) > bytes.length ? at : bytes.length;
  }
  return bytes.length;
}

export interface OutputPart {
  bytes: Buffer;
  /** Where it begins and where the next one does. */
  from: number;
  next: number;
  size: number;
  more: boolean;
}

/**
 * At most `most` bytes of a stream from `asked` on, whole characters only: what was cut in the middle comes with the next
 * part, or as it is when the stream is `over`.
 */
export function readPart(
  db: Reader,
  jobSeq: number,
  stream: Stream,
  { asked, most, over }: { asked: number; most: number; over: boolean },
): OutputPart {
  const size = outputSize(db, jobSeq, stream);
  const before = Math.min(asked, size);
  const margin = Math.min(3, before);
  const bytes = readOutput(db, jobSeq, stream, before - margin, before + most);
  // Somebody who counts otherwise than this may ask in the middle of a character.
  const back = isContinuation(bytes[margin]) ? margin - endOfWhole(bytes.subarray(0, margin)) : 0;
  const part = bytes.subarray(margin - back);
  const from = before - back;
  const last = from + part.length >= size;
  const whole = last && over ? part : part.subarray(0, endOfWhole(part));
  return { bytes: whole, from, next: from + whole.length, size, more: !last };
}

/** How a stream begins. */
export function beginningOf(db: Reader, jobSeq: number, stream: Stream, bytes: number): Buffer {
  const row = db.get<{ bytes: Uint8Array }>(
    'SELECT substr(bytes, 1, ?) AS bytes FROM job_output WHERE job_seq = ? AND stream = ? ORDER BY offset LIMIT 1',
    bytes,
    jobSeq,
    NUMBER[stream],
  );
  return Buffer.from(row?.bytes ?? []);
}

/** Bytes in a row of a stream that is over. */
const JOINED = 1024 * 1024;

/** Makes few pieces of a stream that came in many small ones: a finished log is read often. */
export function joinOutput(tx: Tx, jobSeq: number, stream: Stream): void {
  const few = 16;
  const row = tx.get<{ pieces: number }>(
    'SELECT count(*) AS pieces FROM job_output WHERE job_seq = ? AND stream = ?',
    jobSeq,
    NUMBER[stream],
  );
  if (!row || row.pieces <= few) return;
  const all = readOutput(tx, jobSeq, stream);
  tx.run('DELETE FROM job_output WHERE job_seq = ? AND stream = ?', jobSeq, NUMBER[stream]);
  for (let at = 0; at < all.length; at += JOINED) appendOutput(tx, jobSeq, stream, at, all.subarray(at, at + JOINED));
}

/** Bytes of all the children of a parent together. */
export const outputOfChildren = (db: Reader, parentSeq: number): number =>
  db.get<{ size: number | null }>(
    `SELECT sum(length(o.bytes)) AS size FROM jobs c JOIN job_output o ON o.job_seq = c.seq WHERE c.parent_seq = ?`,
    parentSeq,
  )?.size ?? 0;
