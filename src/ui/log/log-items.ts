// The list that a log view scrolls: the rows of all streams in the order in which they arrived or, if that is unknown, one
// stream below the other, each under its name.
import { mergeRows } from './merge-rows.ts';
import { indexLines, type LineIndex } from './lines.ts';

export interface LogStream {
  /** "stdout" */
  name: string;
  /** Marked as an error stream. */
  error?: boolean;
  /** Its text in pieces as received. When it grows, it still begins with the same pieces. */
  pieces: readonly string[];
}

/** Output of one stream without output of another in between. */
export interface LogRun {
  stream: string;
  /** In UTF-16 code units. */
  length: number;
}

export interface IndexedStream {
  stream: LogStream;
  index: LineIndex;
}

/** Indexes the streams, reusing `before` for text that is already indexed; returns `before` itself if nothing changed. */
export function indexStreams(
  streams: readonly LogStream[],
  before: readonly IndexedStream[],
  raw: boolean,
): readonly IndexedStream[] {
  const next = streams.map((stream, position) => {
    const old = before[position];
    const isSame = old?.stream.name === stream.name;
    if (isSame && old.stream.pieces === stream.pieces && old.index.raw === raw) return old;
    return { stream, index: indexLines(stream.pieces, isSame ? old.index : undefined, raw) };
  });
  const isChanged = next.length !== before.length || next.some((each, position) => each !== before[position]);
  return isChanged ? next : before;
}

/** The name of the stream that grew; the lower one, if several did. */
export const grownStream = (before: readonly IndexedStream[], now: readonly IndexedStream[]): string | undefined =>
  now.findLast(({ stream, index }) => {
    const old = before.find((each) => each.stream.name === stream.name);
    return index.text.length > (old?.index.text.length ?? 0);
  })?.stream.name;

/** One stream in the list. */
export interface LogBlock extends IndexedStream {
  /** Its index among the shown streams. */
  position: number;
  /** How many rows at its beginning are left out. */
  skipped: number;
}

/** Consecutive rows of one stream, from `first` up to but not including `end`. */
export interface Stretch {
  block: LogBlock;
  first: number;
  end: number;
}

export interface LogList {
  readonly blocks: readonly LogBlock[];
  /** How many items can be scrolled. */
  readonly count: number;
  /** Whether rows of several streams are mixed in order of arrival. */
  readonly isMixed: boolean;
  /** The items that are names of streams. */
  readonly headings: readonly number[];
  blockAt(item: number): LogBlock | undefined;
  /** The row of an item; -1 for the name of a stream and past the end. */
  rowAt(item: number): number;
  itemOf(block: LogBlock, row: number): number;
  /** The item of the last row of a stream. */
  lastOf(block: LogBlock): number;
  /** All rows in order, skipped ones included. */
  stretches(): Iterable<Stretch>;
}

/** Browsers limit the height of a scrolled area to about 17 million pixels, which this many rows do not reach. */
const MOST_ROWS = 600_000;

/** Makes the list. If there are more than `most` rows, the beginning is left out. */
export function layOut(streams: IndexedStream[], order?: readonly LogRun[], most: number = MOST_ROWS): LogList {
  const filled = streams.filter(({ index }) => index.rows > 0);
  return order && filled.length > 1 ? mixed(filled, order, most) : stacked(filled, streams.length, most);
}

function stacked(streams: IndexedStream[], of: number, most: number): LogList {
  const heading = streams.length > 1 ? 1 : 0;
  const share = Math.floor(most / Math.max(1, of));
  const starts: number[] = [];
  let count = 0;
  const blocks = streams.map(({ stream, index }, position): LogBlock => {
    const skipped = Math.max(0, index.rows - share);
    starts.push(count);
    count += index.rows - skipped + heading;
    return { stream, index, position, skipped };
  });
  const blockAt = (item: number) =>
    item < 0 || item >= count ? undefined : blocks[starts.findLastIndex((start) => start <= item)];
  const itemOf = ({ position, skipped }: LogBlock, row: number) =>
    (starts[position] ?? 0) + heading + Math.max(0, row - skipped);
  return {
    blocks,
    count,
    isMixed: false,
    headings: heading ? starts : [],
    blockAt,
    rowAt: (item) => {
      const block = blockAt(item);
      const row = block ? item - (starts[block.position] ?? 0) - heading : -1;
      return block && row >= 0 ? row + block.skipped : -1;
    },
    itemOf,
    lastOf: (block) => itemOf(block, block.index.rows - 1),
    stretches: () => blocks.map((block) => ({ block, first: 0, end: block.index.rows })),
  };
}

function mixed(streams: IndexedStream[], order: readonly LogRun[], most: number): LogList {
  const { of, rows, items } = mergeRows(streams, order);
  const left = Math.max(0, rows.length - most);
  const blocks = streams.map(({ stream, index }, position): LogBlock => {
    let skipped = 0;
    for (let item = 0; item < left; item++) if (of[item] === position) skipped++;
    return { stream, index, position, skipped };
  });
  const itemOf = ({ position }: LogBlock, row: number) => Math.max(0, (items[position]?.[row] ?? 0) - left);
  return {
    blocks,
    count: rows.length - left,
    isMixed: true,
    headings: [],
    blockAt: (item) => (item < 0 ? undefined : blocks[of[item + left] ?? -1]),
    rowAt: (item) => (item < 0 ? -1 : (rows[item + left] ?? -1)),
    itemOf,
    lastOf: (block) => itemOf(block, block.index.rows - 1),
    *stretches() {
      for (let item = 0; item < rows.length;) {
        const block = blocks[of[item] ?? -1];
        const first = rows[item] ?? 0;
        const begin = item;
        while (item < rows.length && of[item] === of[begin]) item++;
        if (block) yield { block, first, end: first + item - begin };
      }
    },
  };
}
