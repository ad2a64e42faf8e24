// Searches many rows for a text or a pattern, a slice at a time.
import { firstIndex } from '#/lib/binary-search.ts';
import { rowAt, rowText, type LineIndex } from './lines.ts';
import { sliceOf } from './log-text.ts';
import { withoutAnsi } from './overwritten.ts';

export interface LogQuery {
  text: string;
  /** Case-sensitive. */
  exact: boolean;
  /** The text is a regular expression. */
  pattern: boolean;
}

/** The matches in a stream, in order: their rows, and offsets in the row without control sequences. */
export interface Matches {
  rows: Uint32Array<ArrayBuffer>;
  from: Uint32Array<ArrayBuffer>;
  to: Uint32Array<ArrayBuffer>;
}

/** Enough matches in a stream: nobody steps through more. */
export const MOST_MATCHES = 100_000;
/** Characters to search between two yields. */
const SLICE = 256 * 1024;

const KNOWN_ESCAPE = /^\\(?:[^A-Za-z]|[bBcdDfknrsStuvwWx])/;
/** What JavaScript would silently take for other characters: `\Z`, `\h` and `\p` for letters, `[:alpha:]` for some of them. */
const isMisread = (pattern: string): boolean =>
  Array.from(pattern.matchAll(/\\[\s\S]|\[:\^?\w+:\]/g), ([part]) => part).some((part) => !KNOWN_ESCAPE.test(part));

/** The query as a regular expression; undefined if it is invalid. */
export function patternOf({ text, exact, pattern }: LogQuery): RegExp | undefined {
  if (pattern && isMisread(text)) return undefined;
  try {
    return new RegExp(pattern ? text : text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), exact ? 'gm' : 'gim');
  } catch {
    return undefined;
  }
}

type Found = (row: number, from: number, to: number) => boolean;

/** Searches the rows from `first` up to but not including `end`, until `found` returns false. */
function searchRows(index: LineIndex, pattern: RegExp, [first, end]: [number, number], found: Found): boolean {
  const { starts, text } = index;
  const start = starts[first] ?? text.length;
  const slice = sliceOf(text, start, end < index.rows ? (starts[end] ?? text.length) : text.length);
  // Rows that are not shown as received are searched as they are shown.
  if (!index.raw && (slice.includes('\u001b') || slice.includes('\r'))) {
    for (let row = first; row < end; row++)
      for (const { 0: hit, index: from } of withoutAnsi(rowText(index, row)).matchAll(pattern))
        if (hit !== '' && !found(row, from, from + hit.length)) return false;
    return true;
  }
  let row = first;
  for (const { 0: hit, index: at } of slice.matchAll(pattern)) {
    if (hit === '') continue;
    while (row + 1 < end && (starts[row + 1] ?? 0) <= start + at) row++;
    const from = start + at - (starts[row] ?? 0);
    if (!found(row, from, from + hit.length)) return false;
  }
  return true;
}

/** Searches all rows; the caller may stop after each slice. */
export function* searchIndex(index: LineIndex, pattern: RegExp): Generator<void, Matches> {
  const rows: number[] = [];
  const froms: number[] = [];
  const tos: number[] = [];
  const found: Found = (row, from, to) => {
    rows.push(row);
    froms.push(from);
    tos.push(to);
    return rows.length < MOST_MATCHES;
  };
  for (let first = 0; first < index.rows;) {
    const end = Math.max(first + 1, rowAt(index, (index.starts[first] ?? 0) + SLICE));
    const last = end >= index.rows - 1 ? index.rows : end;
    if (!searchRows(index, pattern, [first, last], found)) break;
    first = last;
    yield;
  }
  return { rows: Uint32Array.from(rows), from: Uint32Array.from(froms), to: Uint32Array.from(tos) };
}

/** The index of the first match at or after a row. */
export const firstFrom = ({ rows }: Matches, row: number): number =>
  firstIndex(rows.length, (index) => (rows[index] ?? 0) >= row);
