// The text of a log to copy or to save: by default as it is read, without control sequences and with hidden characters
// visible; by choice exactly as received.
import { visible } from '#/lib/glyphs.ts';
import { inTurns } from '#/lib/pace.ts';
import type { LogList } from './log-items.ts';
import { rowText, type LineIndex } from './lines.ts';
import { sliceOf } from './log-text.ts';
import { withoutAnsi } from './overwritten.ts';

/** Characters made plain in one go. */
const SLICE = 128 * 1024;

const REWRITTEN = /\r(?!\n)/;

/** Rows as text; `whole`: they are followed by others. */
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

/** The text of all of a stream, or of the rows from `first` up to, not including, `end`, a part at a time. */
export function* plainParts(index: LineIndex, first = 0, end: number = index.rows): Generator<string> {
  for (let row = first; row < end;) {
    const from = index.starts[row] ?? 0;
    let next = row + 1;
    while (next < end && (index.starts[next] ?? 0) - from < SLICE) next++;
    yield plainRows(index, row, next);
    row = next;
  }
}

/** All that is shown, in its order; each stream under its name where they are one below the other. */
export function* plainLog(list: LogList): Generator<string> {
  let isCut = false;
  for (const { block, first, end } of list.stretches()) {
    if (list.headings.length > 0) yield `${block.position > 0 ? '\n' : ''}[${block.stream.name}]\n`;
    // The other stream's last line has no end yet.
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
  return inTurns(collect());
}
