// The rows of a log to draw; colours continue from row to row.
import { ansiBefore, ansiReader, type AnsiPart } from './ansi.ts';
import type { LogBlock, LogList } from './log-items.ts';
import { lineOf, rowText } from './lines.ts';

export interface DrawnRow {
  item: number;
  block: LogBlock;
  /** Undefined for the name of a stream. */
  row: number | undefined;
  parts: AnsiPart[];
  /** Its line number; 0 if it continues the line above. */
  number: number;
  /** The line it belongs to. */
  line: number;
}

export function readRows(list: LogList, first: number, last: number): DrawnRow[] {
  /** For each stream, because its colours continue from one row to the next. */
  const reading = new Map<LogBlock, { read: ReturnType<typeof ansiReader>; line: number }>();
  const rows: DrawnRow[] = [];
  for (let item = first; item <= last; item++) {
    const block = list.blockAt(item);
    if (!block) continue;
    const row = list.rowAt(item);
    if (row < 0) {
      rows.push({ item, block, row: undefined, parts: [], number: 0, line: 0 });
      continue;
    }
    const { index } = block;
    let reader = reading.get(block);
    if (!reader) {
      const before = index.raw ? '' : ansiBefore(index.text, index.starts[row] ?? 0);
      reading.set(block, (reader = { read: ansiReader(before), line: lineOf(index, row) }));
    }
    const number = index.numbers[row] ?? 0;
    reader.line = number || reader.line;
    const text = rowText(index, row);
    const parts = index.raw ? [{ text, style: {} }] : reader.read(text);
    rows.push({ item, block, row, parts, number, line: reader.line });
  }
  return rows;
}
