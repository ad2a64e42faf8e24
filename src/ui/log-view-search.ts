// Finds a text in many rows, a slice at a time, so that the page stays free while ten megabytes are searched.
import { withoutAnsi } from './log-view-ansi.ts';
import { rowAt, rowText } from './log-view-lines.ts';
import type { LineIndex } from './log-view-lines.ts';

/** A place where the text was found: offsets within the row, control sequences not counted. */
export interface Match {
  row: number;
  from: number;
  to: number;
}

/** More matches than anyone steps through. */
export const MOST_MATCHES = 10_000;
/** Characters searched before the page gets its turn. */
const SLICE = 256 * 1024;

/** The pattern of a search: the letters as they are, in any case. */
const patternOf = (query: string): RegExp => new RegExp(query.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'gi');

/** The matches in the rows from `first` up to, not including, `end`. */
function searchRows(index: LineIndex, pattern: RegExp, first: number, end: number): Match[] {
  const { text, starts, rows } = index;
  const start = starts[first] ?? text.length;
  const slice = text.slice(start, end < rows ? starts[end] : text.length);
  const found: Match[] = [];
  if (slice.includes('\u001b')) {
    for (let row = first; row < end && found.length < MOST_MATCHES; row++)
      for (const { 0: hit, index: from } of withoutAnsi(rowText(index, row)).matchAll(pattern))
        found.push({ row, from, to: from + hit.length });
    return found;
  }
  let row = first;
  for (const { 0: hit, index: at } of slice.matchAll(pattern)) {
    const offset = start + at;
    while (row + 1 < end && (starts[row + 1] ?? 0) <= offset) row++;
    const from = offset - (starts[row] ?? 0);
    found.push({ row, from, to: from + hit.length });
    if (found.length === MOST_MATCHES) break;
  }
  return found;
}

const turn = () => new Promise((resolve) => setTimeout(resolve));

/** Searches all rows; undefined when it was called off. */
export async function searchLines(index: LineIndex, query: string, signal: AbortSignal): Promise<Match[] | undefined> {
  const pattern = patternOf(query);
  const found: Match[] = [];
  for (let first = 0; first < index.rows && found.length < MOST_MATCHES;) {
    const end = Math.max(first + 1, rowAt(index, (index.starts[first] ?? 0) + SLICE));
    const last = end >= index.rows - 1 ? index.rows : end;
    found.push(...searchRows(index, pattern, first, last));
    first = last;
    if (first < index.rows) await turn();
    if (signal.aborted) return undefined;
  }
  return found.slice(0, MOST_MATCHES);
}
