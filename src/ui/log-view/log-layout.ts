// Where each row of a log stands, told from its length: measuring a hundred thousand wrapped rows would freeze the page.
// Rows that were drawn and turned out otherwise (tabs, wide letters, colour codes) are put right one by one.
import { placeOf } from './log-items.ts';
import type { LogBlock } from './log-items.ts';
import { screenLines } from './lines.ts';

/** As the style sheet has them. */
const ROW = 19;
const HEADING = 28;
/** Rows between two heights that are kept. */
const STEP = 128;

/** Heights of rows that were drawn, by stream and row. */
export type Measured = Map<string, Map<number, number>>;

interface Stack {
  block: LogBlock;
  top: number;
  height: number;
  /** Height above every 128th row; undefined where all rows are alike. */
  above: Float64Array | undefined;
}

export interface LogLayout {
  total: number;
  heightOf: (place: number) => number;
  topOf: (place: number) => number;
  /** The place that covers a height; the last one below the end. */
  placeAt: (offset: number) => number;
}

/** `columns`: how many letters fit beside the gutter; 0 where lines are not wrapped. */
export function layoutOf(blocks: readonly LogBlock[], columns: number, measured: Measured): LogLayout {
  const rowHeight = ({ stream, index, skipped }: LogBlock, row: number) =>
    columns === 0
      ? ROW
      : (measured.get(stream.name)?.get(row + skipped) ?? ROW * screenLines(index, row + skipped, columns));
  let total = 0;
  let count = 0;
  const stacks = blocks.map((block): Stack => {
    const rows = block.items - (block.heading ? 1 : 0);
    const top = total;
    let height = 0;
    let above: Float64Array | undefined;
    if (columns === 0) height = rows * ROW;
    else {
      above = new Float64Array(Math.ceil(rows / STEP) + 1);
      for (let row = 0; row < rows; row++) {
        if (row % STEP === 0) above[row / STEP] = height;
        height += rowHeight(block, row);
      }
    }
    height += block.heading ? HEADING : 0;
    total += height;
    count += block.items;
    return { block, top, height, above };
  });

  const stackOf = (place: number) => stacks.find(({ block }) => place < block.start + block.items);
  const heightOf = (place: number): number => {
    const stack = stackOf(place);
    if (!stack) return 0;
    const row = place - placeOf(stack.block, stack.block.skipped);
    return row < 0 ? HEADING : rowHeight(stack.block, row);
  };
  const topOf = (place: number): number => {
    const stack = stackOf(place);
    if (!stack) return total;
    const { block, above } = stack;
    const row = place - placeOf(block, block.skipped);
    if (row < 0) return stack.top;
    const begin = stack.top + (block.heading ? HEADING : 0);
    if (!above) return begin + row * ROW;
    const step = Math.floor(row / STEP);
    let top = begin + (above[step] ?? 0);
    for (let at = step * STEP; at < row; at++) top += rowHeight(block, at);
    return top;
  };
  const placeAt = (offset: number): number => {
    let low = 0;
    let high = Math.max(0, count - 1);
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (topOf(middle) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  return { total, heightOf, topOf, placeAt };
}
