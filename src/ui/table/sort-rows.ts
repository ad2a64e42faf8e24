// The rows of a list sorted by one of its columns.
import { compareNames } from '#/lib/locale.ts';

type SortKey = string | number | undefined;

function compare(one: SortKey, two: SortKey, way: number): number {
  if (one === undefined || two === undefined) return Number(one === undefined) - Number(two === undefined);
  return (
    way * (typeof one === 'string' && typeof two === 'string' ? compareNames(one, two) : Number(one) - Number(two))
  );
}

/** Sorted by a key that is computed once for each row. Rows without one are last in both directions; equals stay in order. */
export function sortRows<Row>(rows: readonly Row[], keyOf: (row: Row) => SortKey, down: boolean): Row[] {
  return rows
    .map((row) => ({ row, key: keyOf(row) }))
    .sort((one, two) => compare(one.key, two.key, down ? -1 : 1))
    .map(({ row }) => row);
}
