// Merges the rows of several streams in order of arrival. A line is placed where it ended: one that was interrupted by other
// output stays in one piece, and one that is still being written stays at the end, where readers look for it.
import type { LineIndex } from './lines.ts';
import type { IndexedStream, LogRun } from './log-items.ts';

export interface MergedRows {
  /** The stream of each merged row, and the row in it. */
  of: Uint8Array;
  rows: Uint32Array;
  /** For each stream, the merged index of each of its rows. */
  items: Uint32Array[];
}

/** The last row of a row's line. */
function endOfLine({ rows, numbers }: LineIndex, row: number): number {
  let last = row;
  while (last + 1 < rows && numbers[last + 1] === 0) last++;
  return last;
}

export function mergeRows(streams: readonly IndexedStream[], order: readonly LogRun[]): MergedRows {
  const count = streams.reduce((sum, { index }) => sum + index.rows, 0);
  const of = new Uint8Array(count);
  const rows = new Uint32Array(count);
  const items = streams.map(({ index }) => new Uint32Array(index.rows));
  /** For each stream: how much has arrived, the next row, and the last row of its line. */
  const at = streams.map(({ index }) => ({ index, arrived: 0, row: 0, last: endOfLine(index, 0) }));
  let item = 0;
  const put = (which: number, end: number) => {
    const stream = at[which];
    const own = items[which];
    if (!stream || !own) return;
    while (stream.row < end) {
      of[item] = which;
      rows[item] = stream.row;
      own[stream.row++] = item++;
    }
  };
  const names = new Map(streams.map(({ stream: { name } }, which) => [name, which]));
  let latest = streams.length - 1;
  for (const { stream: name, length } of order) {
    const which = names.get(name);
    const stream = which === undefined ? undefined : at[which];
    if (which === undefined || !stream) continue;
    latest = which;
    stream.arrived += length;
    // A line is complete once its line end has arrived.
    while (stream.row < stream.index.rows && (stream.index.ends[stream.last] ?? 0) < stream.arrived) {
      put(which, stream.last + 1);
      stream.last = endOfLine(stream.index, stream.row);
    }
  }
  for (const which of at.keys()) if (which !== latest) put(which, streams[which]?.index.rows ?? 0);
  put(latest, streams[latest]?.index.rows ?? 0);
  return { of, rows, items };
}
