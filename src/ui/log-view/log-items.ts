// The list a log view scrolls: the rows of each stream, under a heading where there are several streams.
import type { LineIndex } from './lines.ts';

export interface LogStream {
  /** What it is called: "stdout". */
  name: string;
  /** Set apart with a mark and a colour. */
  error?: boolean;
  /** Its text in the pieces it came in; when it grows, it begins with the same ones. */
  pieces: readonly string[];
}

export interface IndexedStream {
  stream: LogStream;
  index: LineIndex;
}

/** One stream in the list. */
export interface LogBlock extends IndexedStream {
  /** Its place among the streams that are shown. */
  position: number;
  /** Place of its first item (the heading, where there is one) in the list. */
  start: number;
  heading: boolean;
  /** Rows at its beginning that are left out. */
  skipped: number;
  items: number;
}

/** A browser's limit on the height of a scrolled area is near 17 million pixels: this many rows stay below it. */
const MOST_ROWS = 600_000;

/** Lays the streams out one below the other. `most`: rows that can be scrolled; the beginning is left out beyond it. */
export function layOut(streams: IndexedStream[], most: number = MOST_ROWS): LogBlock[] {
  const heading = streams.filter(({ index }) => index.rows > 0).length > 1;
  const share = Math.floor(most / Math.max(1, streams.length));
  let start = 0;
  return streams
    .filter(({ index }) => index.rows > 0)
    .map(({ stream, index }, position) => {
      const skipped = Math.max(0, index.rows - share);
      const items = index.rows - skipped + (heading ? 1 : 0);
      const block = { stream, index, position, start, heading, skipped, items };
      start += items;
      return block;
    });
}

export interface LogItem {
  block: LogBlock;
  /** Undefined for the heading. */
  row: number | undefined;
}

/** What stands at a place of the list. */
export function itemAt(blocks: readonly LogBlock[], place: number): LogItem | undefined {
  const block = blocks.find(({ start, items }) => place >= start && place < start + items);
  if (!block) return undefined;
  const row = place - block.start - (block.heading ? 1 : 0);
  return { block, row: row < 0 ? undefined : row + block.skipped };
}

/** Where a row of a stream stands in the list. */
export const placeOf = (block: LogBlock, row: number): number =>
  block.start + (block.heading ? 1 : 0) + Math.max(0, row - block.skipped);
