// The rows of a log that are drawn, colours carried from row to row.
import { ansiBefore, ansiReader } from './ansi.ts';
import type { AnsiPart } from './ansi.ts';
import { itemAt } from './log-items.ts';
import type { LogBlock } from './log-items.ts';
import { lineOf, rowText } from './lines.ts';

export interface DrawnRow {
  place: number;
  block: LogBlock;
  /** Undefined for the name of a stream. */
  row: number | undefined;
  parts: AnsiPart[];
  /** Its line number; 0 where it goes on with the line above. */
  number: number;
  /** The line it belongs to. */
  line: number;
}

export function readRows(blocks: readonly LogBlock[], first: number, last: number): DrawnRow[] {
  let reading: { block: LogBlock; read: ReturnType<typeof ansiReader> } | undefined;
  let line = 0;
  const rows: DrawnRow[] = [];
  for (let place = first; place <= last; place++) {
    const item = itemAt(blocks, place);
    if (!item) continue;
    const { block, row } = item;
    if (row === undefined) {
      rows.push({ place, block, row, parts: [], number: 0, line: 0 });
      continue;
    }
    const { index } = block;
    if (reading?.block !== block) {
      reading = { block, read: ansiReader(index.raw ? '' : ansiBefore(index.text, index.starts[row] ?? 0)) };
      line = lineOf(index, row);
    }
    const number = index.numbers[row] ?? 0;
    line = number || line;
    const text = rowText(index, row);
    rows.push({ place, block, row, parts: index.raw ? [{ text, style: {} }] : reading.read(text), number, line });
  }
  return rows;
}
