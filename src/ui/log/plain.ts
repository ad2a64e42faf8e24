// The text of a log to copy or save: as it is shown, without control sequences and with hidden characters made visible, or
// raw, exactly as received.
import { visible } from '#/lib/glyphs.ts';
import { runChunked } from '#/lib/pace.ts';
import type { LogList } from './log-items.ts';
import { rowText, type LineIndex } from './lines.ts';
import { sliceOf } from './log-text.ts';
import { withoutAnsi } from './overwritten.ts';

/** Characters to convert at a time. */
const SLICE = 128 * 1024;

const REWRITTEN = /\r(?!\n)/;

/** Rows as text. */
function plainRows(index: LineIndex, first: number, end: number): string {
  const from = index.starts[first] ?? 0;
  const to = end < index.rows ? (index.starts[end] ?? index.text.length) : index.text.length;
  const text = sliceOf(index.text, from, to);
  if (index.raw) return text;
  if (!REWRITTEN.test(text)) return visible(withoutAnsi(text.replaceAll('\r\n', '\n')));
  const rows: string[] = [];
  for (let row = first; row < end; row++)
    rows.push(row > first && index.numbers[row] !== 0 ? '\n' : '', visible(withoutAnsi(rowText(index, row))));
  const complete = end < index.rows ? index.numbers[end] !== 0 : text.endsWith('\n');
  return rows.join('') + (complete ? '\n' : '');
}

/** The text of a stream in parts, or of its rows from `first` up to but not including `end`. */
export function* plainParts(index: LineIndex, first = 0, end: number = index.rows): Generator<string> {
  for (let row = first; row < end;) {
    const from = index.starts[row] ?? 0;
    let next = row + 1;
    while (next < end && (index.starts[next] ?? 0) - from < SLICE) next++;
    yield plainRows(index, row, next);
    row = next;
  }
}

/** The full text of a log in order; streams that are listed one below the other get their names as headings. */
export function* plainLog(list: LogList): Generator<string> {
  let isCut = false;
  for (const { block, first, end } of list.stretches()) {
    if (list.headings.length > 0) yield `${block.position > 0 ? '\n' : ''}[${block.stream.name}]\n`;
    // The last line of the other stream is incomplete.
    else if (isCut) yield '\n';
    let last = '';
    for (const part of plainParts(block.index, first, end)) yield (last = part);
    isCut = !last.endsWith('\n');
    if (isCut && list.headings.length > 0) yield '\n';
  }
}

/** Collects the parts without blocking the page. */
export function gathered(parts: Iterable<string>): Promise<string[]> {
  const all: string[] = [];
  function* collect(): Generator<void, string[]> {
    for (const part of parts) {
      all.push(part);
      yield;
    }
    return all;
  }
  return runChunked(collect());
}
