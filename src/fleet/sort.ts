// All rows in the order of one column. The order is stored with the column: while that does not change, sorting the
// fleet again, with any filter, is one pass.
import { CodeColumn, TextColumn, TimeColumn } from './columns.ts';
import type { FleetColumn } from './columns.ts';
import type { Places } from './columns.ts';
import type { Table } from './table.ts';
import { naturalKey } from './text.ts';

/** Rows by value, ascending; of equal values the lower row first; rows without a value at the end. */
export interface Sorted {
  rows: Uint32Array;
  /** At each position, a number that equal values share. */
  ranks: Uint32Array;
  /** How many of the rows have a value. */
  known: number;
}

/** Sources of a stored order: a column, an array of ids, the locations. */
type Source = FleetColumn | string[] | Float64Array;

const sortOrders = new WeakMap<Source, Sorted>();
/** Rows between two checks of the clock. */
export const STEP = 2048;

function sourceOf({ ids, columns, places }: Table, by: string): Source | undefined {
  if (by === 'DeviceId') return ids;
  if (by === 'Lat') return places?.lat;
  if (by === 'Lng') return places?.lng;
  return columns.get(by);
}

/** The stored order by a column. */
export function storedSortOrder(table: Table, by: string): Sorted | undefined {
  const source = sourceOf(table, by);
  const order = source && sortOrders.get(source);
  return order?.rows.length === table.size ? order : undefined;
}

export function storeSortOrder(table: Table, by: string, order: Sorted): void {
  const source = sourceOf(table, by);
  if (source) sortOrders.set(source, order);
}

/** What a row is sorted by. */
export type SortKey = string | number;

/** The key of each row in a column, comparable with the others; undefined for rows without a value. */
export function sortKeysOf(table: Table, by: string): ((row: number) => SortKey | undefined) | undefined {
  const source = sourceOf(table, by);
  if (!source) return undefined;
  const finite = (value: number | undefined) => (Number.isFinite(value) ? value : undefined);
  if (source instanceof Float64Array) return (row) => (isPlaced(table.places, row) ? finite(source[row]) : undefined);
  if (source instanceof TimeColumn) return (row) => finite(source.time(row));
  if (source instanceof CodeColumn) {
    const ranks = source.dictionary.ranks();
    return (row) => ranks[source.code(row)] || undefined;
  }
  const texts = source;
  return (row) =>
    naturalKey(texts instanceof TextColumn ? texts.text(row) : ((texts as string[])[row] ?? '')) || undefined;
}

/**
 * Computes the order by a column; undefined if there is no such column. `before`: an earlier version of the table,
 * whose order is nearly right.
 */
export function* sortSteps(table: Table, by: string, before?: Table): Generator<void, Sorted | undefined> {
  const source = sourceOf(table, by);
  if (!source) return undefined;
  const known = storedSortOrder(table, by);
  if (known) return known;
  const earlier = before && sourceOf(before, by);
  const order = yield* sortSource(table, source, earlier && sortOrders.get(earlier)?.rows);
  sortOrders.set(source, order);
  return order;
}

function* sortSource({ size, places }: Table, source: Source, seed: Uint32Array | undefined): Generator<void, Sorted> {
  if (source instanceof Float64Array) return sortNumbers(size, (row) => (isPlaced(places, row) ? source[row]! : NaN));
  if (source instanceof TimeColumn) return sortNumbers(size, (row) => source.time(row));
  if (source instanceof CodeColumn) {
    const ranks = source.dictionary.ranks();
    return sortRanks(size, (row) => ranks[source.code(row)] ?? 0, source.dictionary.size);
  }
  const textOf =
    source instanceof TextColumn ? (row: number) => source.text(row) : (row: number) => (source as string[])[row] ?? '';
  return yield* sortTexts(size, textOf, seed);
}

const isPlaced = (places: Places | undefined, row: number) => places?.kind[row] === 1;

/** By counting: `rankOf` returns 1 … highest, 0 for none. */
function sortRanks(size: number, rankOf: (row: number) => number, highest: number): Sorted {
  const starts = new Uint32Array(highest + 2);
  const of = new Uint32Array(size);
  for (let row = 0; row < size; row++) {
    // None comes last.
    const rank = rankOf(row) || highest + 1;
    of[row] = rank;
    if (rank <= highest) starts[rank + 1]!++;
  }
  for (let rank = 1; rank < starts.length; rank++) starts[rank]! += starts[rank - 1]!;
  const known = starts[highest + 1]!;
  const rows = new Uint32Array(size);
  for (let row = 0; row < size; row++) rows[starts[of[row]!]!++] = row;
  return { rows, ranks: rows.map((row) => of[row]!), known };
}

/** By the rank of each number among the different ones, from a sorted array. */
function sortNumbers(size: number, valueOf: (row: number) => number): Sorted {
  const values = new Float64Array(size);
  let count = 0;
  for (let row = 0; row < size; row++) if (Number.isFinite(valueOf(row))) values[count++] = valueOf(row);
  const sorted = values.subarray(0, count).sort();
  const rankOf = (row: number) => {
    const value = valueOf(row);
    if (!Number.isFinite(value)) return 0;
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (sorted[middle]! < value) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
  return sortRanks(size, rankOf, count);
}

/** By natural order, merging longer and longer runs: nearly sorted rows cost one comparison each. */
function* sortTexts(
  size: number,
  textOf: (row: number) => string,
  seed: Uint32Array = new Uint32Array(0),
): Generator<void, Sorted> {
  const keys: string[] = [];
  for (let row = 0; row < size; row++) {
    keys.push(naturalKey(textOf(row)));
    if (row % STEP === 0) yield;
  }
  const rows = new Uint32Array(size);
  let known = 0;
  const take = (row: number) => {
    if (keys[row] !== '') rows[known++] = row;
  };
  for (const row of seed) take(row);
  for (let row = seed.length; row < size; row++) take(row);
  const compare = (one: number, two: number) => {
    const [first, second] = [keys[one]!, keys[two]!];
    return first < second ? -1 : first > second ? 1 : one - two;
  };
  const sorted = yield* mergeSort(rows.subarray(0, known), compare);
  rows.set(sorted);
  for (let row = 0, place = known; row < size; row++) if (keys[row] === '') rows[place++] = row;
  const ranks = new Uint32Array(size);
  for (let place = 1; place < known; place++)
    ranks[place] = ranks[place - 1]! + (keys[rows[place]!] === keys[rows[place - 1]!] ? 0 : 1);
  return { rows, ranks, known };
}

function* mergeSort(given: Uint32Array, compare: (one: number, two: number) => number): Generator<void, Uint32Array> {
  const { length } = given;
  let from: Uint32Array = given;
  let to: Uint32Array = new Uint32Array(length);
  for (let start = 0; start < length; start += STEP) {
    from.subarray(start, start + STEP).sort(compare);
    yield;
  }
  for (let width = STEP; width < length; width *= 2) {
    for (let start = 0; start < length; start += 2 * width) {
      const middle = Math.min(start + width, length);
      const end = Math.min(start + 2 * width, length);
      let left = start;
      let right = middle;
      // Two runs that are already in order are copied.
      if (right < end && compare(from[middle - 1]!, from[middle]!) <= 0) {
        to.set(from.subarray(start, end), start);
        yield;
        continue;
      }
      for (let place = start; place < end; place++) {
        to[place] =
          left < middle && (right >= end || compare(from[left]!, from[right]!) <= 0) ? from[left++]! : from[right++]!;
        if (place % STEP === 0) yield;
      }
    }
    [from, to] = [to, from];
  }
  return from;
}

/**
 * The rows of an order that are marked in `mask`, up or down. Equal ones keep their order; unknown values stay last.
 */
export function pick({ rows, ranks, known }: Sorted, mask: Uint8Array, count: number, down: boolean): Uint32Array {
  const picked = new Uint32Array(count);
  let place = 0;
  const take = (from: number, to: number) => {
    for (let i = from; i < to; i++) {
      const row = rows[i]!;
      if (mask[row] === 1) picked[place++] = row;
    }
  };
  if (!down) take(0, known);
  else
    for (let end = known; end > 0;) {
      let start = end - 1;
      while (start > 0 && ranks[start - 1] === ranks[end - 1]) start--;
      take(start, end);
      end = start;
    }
  take(known, rows.length);
  return picked;
}
