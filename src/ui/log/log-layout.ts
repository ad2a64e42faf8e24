// The position of each row of a log, estimated from its length, because measuring a hundred thousand wrapped rows would
// freeze the page. Rows whose rendered height differs (words that move to the
// next line, tabs, wide letters, colour codes) are corrected one by one.
import { firstIndex } from '#/lib/binary-search.ts';
import type { LogList } from './log-items.ts';
import { screenLines } from './lines.ts';

/** Heights in pixels, as in the style sheet. */
const ROW = 19;
const HEADING = 28;
/** Every how many rows a position is stored. */
const STEP = 128;

/** The heights of rendered rows, by stream and row. */
export type Measured = Map<string, Map<number, number>>;

export interface LogLayout {
  total: number;
  heightOf: (item: number) => number;
  topOf: (item: number) => number;
  /** The item at an offset; the last one past the end. */
  itemAt: (offset: number) => number;
}

/** `columns`: how many characters fit beside the gutter; 0 if lines do not wrap. */
export function layoutOf(list: LogList, columns: number, measured: Measured): LogLayout {
  const { count, headings } = list;
  const ofStream = new Map(list.blocks.map((block) => [block, measured.get(block.stream.name)]));
  const heightOf = (item: number): number => {
    const block = list.blockAt(item);
    if (!block) return 0;
    const row = list.rowAt(item);
    if (row < 0) return HEADING;
    return columns === 0 ? ROW : (ofStream.get(block)?.get(row) ?? ROW * screenLines(block.index, row, columns));
  };

  /** The position of every 128th item; undefined if all rows are equally high. */
  let above: Float64Array | undefined;
  let total = count * ROW + headings.length * (HEADING - ROW);
  if (columns > 0) {
    above = new Float64Array(Math.ceil(count / STEP) + 1);
    total = 0;
    for (let item = 0; item < count; item++) {
      if (item % STEP === 0) above[item / STEP] = total;
      total += heightOf(item);
    }
  }
  const topOf = (item: number): number => {
    if (item >= count) return total;
    if (!above) return item * ROW + headings.filter((heading) => heading < item).length * (HEADING - ROW);
    const step = Math.floor(item / STEP);
    let top = above[step] ?? 0;
    for (let at = step * STEP; at < item; at++) top += heightOf(at);
    return top;
  };
  const itemAt = (offset: number) => Math.max(0, firstIndex(count, (item) => topOf(item) > offset) - 1);
  return { total, heightOf, topOf, itemAt };
}
