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

/** A stream from `from` on. */
export function readOutput(db: Reader, jobSeq: number, stream: Stream, from = 0): Buffer {
  const pieces = db.all<Piece>(
    `SELECT offset, bytes FROM job_output WHERE job_seq = ? AND stream = ? AND offset + length(bytes) > ? ORDER BY offset`,
    jobSeq,
    NUMBER[stream],
    from,
  );
  const bytes = Buffer.concat(pieces.map((piece) => piece.bytes));
  return bytes.subarray(Math.max(0, from - (pieces[0]?.offset ?? 0)));
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

/** Makes one piece of a stream that came in many small ones: a finished log is read often. */
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
  appendOutput(tx, jobSeq, stream, 0, all);
}

/** Bytes of all the children of a parent together. */
export const outputOfChildren = (db: Reader, parentSeq: number): number =>
  db.get<{ size: number | null }>(
    `SELECT sum(length(o.bytes)) AS size FROM jobs c JOIN job_output o ON o.job_seq = c.seq WHERE c.parent_seq = ?`,
    parentSeq,
  )?.size ?? 0;
