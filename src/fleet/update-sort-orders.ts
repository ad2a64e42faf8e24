// Keeps the stored sort orders when few rows of a table change: those rows are moved to their new places, since sorting
// 100,000 rows again for one of them would block the page.
import type { Table } from './table.ts';
import { sortKeysOf, storedSortOrder, storeSortOrder, type SortKey, type Sorted } from './sort.ts';

/** More rows than this are sorted faster than they are inserted one by one. */
const MOST = 5_000;

/** Stores the sort orders of `before` for `after`. `changed`: the rows that differ, apart from new ones. */
export function* updateSortOrders(before: Table, after: Table, changed: ReadonlySet<number>): Generator<void, void> {
  const moved = new Set(changed);
  for (let row = before.size; row < after.size; row++) moved.add(row);
  if (moved.size > MOST) return;
  for (const by of [...after.columns.keys(), 'DeviceId', 'Lat', 'Lng']) {
    const earlier = storedSortOrder(before, by);
    if (!earlier || storedSortOrder(after, by)) continue;
    const keyOf = sortKeysOf(after, by);
    if (keyOf) storeSortOrder(after, by, moveRows(earlier, after.size, keyOf, moved));
    yield;
  }
}

const isBefore = (one: SortKey, two: SortKey) => one < two;

interface Entry {
  row: number;
  key: SortKey;
  /** Its place among the rows that stay. */
  place: number;
  label: number;
}

function moveRows(
  earlier: Sorted,
  size: number,
  keyOf: (row: number) => SortKey | undefined,
  moved: ReadonlySet<number>,
): Sorted {
  const staying = new Uint32Array(earlier.rows.length);
  const labels = new Uint32Array(earlier.rows.length);
  let known = 0;
  for (let place = 0; place < earlier.known; place++) {
    const row = earlier.rows[place]!;
    if (moved.has(row)) continue;
    staying[known] = row;
    labels[known++] = earlier.ranks[place]!;
  }
  const entries: Entry[] = [];
  const without: number[] = [];
  for (const row of moved) {
    const key = keyOf(row);
    if (key === undefined) without.push(row);
    else entries.push({ row, key, place: 0, label: 0 });
  }
  without.sort((one, two) => one - two);
  // Labels ascend, so this one and all above it are free.
  const unused = known > 0 ? labels[known - 1]! + 1 : 0;
  entries.sort((one, two) => (isBefore(one.key, two.key) ? -1 : isBefore(two.key, one.key) ? 1 : one.row - two.row));
  for (const [nth, entry] of entries.entries()) {
    let low = 0;
    let high = known;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const row = staying[middle]!;
      const key = keyOf(row)!;
      if (isBefore(key, entry.key) || (key === entry.key && row < entry.row)) low = middle + 1;
      else high = middle;
    }
    entry.place = low;
    const last = entries[nth - 1];
    if (low < known && keyOf(staying[low]!) === entry.key) entry.label = labels[low]!;
    else if (low > 0 && keyOf(staying[low - 1]!) === entry.key) entry.label = labels[low - 1]!;
    else entry.label = last?.key === entry.key ? last.label : unused + nth;
  }

  const rows = new Uint32Array(size);
  const ranks = new Uint32Array(size);
  let end = 0;
  let label = -1;
  const put = (row: number, next: number) => {
    rows[end] = row;
    ranks[end] = end === 0 ? 0 : ranks[end - 1]! + Number(next !== label);
    label = next;
    end++;
  };
  let next = 0;
  for (let place = 0; place <= known; place++) {
    for (; entries[next]?.place === place; next++) put(entries[next]!.row, entries[next]!.label);
    if (place < known) put(staying[place]!, labels[place]!);
  }
  const knownRows = end;
  next = 0;
  for (let place = earlier.known; place < earlier.rows.length; place++) {
    const row = earlier.rows[place]!;
    if (moved.has(row)) continue;
    while (next < without.length && without[next]! < row) rows[end++] = without[next++]!;
    rows[end++] = row;
  }
  while (next < without.length) rows[end++] = without[next++]!;
  return { rows, ranks, known: knownRows };
}
