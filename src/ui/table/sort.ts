// By which column a table is sorted, and which way: in the URL, and applied to rows.
import { compareNames } from '#/lib/locale.ts';
import type { UrlPart } from '#/ui/url/url-schema.ts';

export interface Sort {
  by: string;
  down: boolean;
}

export const sortedBy = (id: string, sort: Sort | undefined): 'ascending' | 'descending' | undefined =>
  sort?.by === id ? (sort.down ? 'descending' : 'ascending') : undefined;

export const printSort = ({ by, down }: Sort): string => `${down ? '-' : ''}${by}`;

/** `name` or `-name` in the URL. `columns`: the sortable ones; by default any. */
export const sortPart = (columns?: readonly string[]): UrlPart<Sort | undefined> => ({
  read: (params, name) => {
    const [, sign, by] = /^(-?)([A-Za-z]\P{Cc}{0,299})$/u.exec(params.get(name) ?? '') ?? [];
    return by && (columns?.includes(by) ?? true) ? { by, down: sign === '-' } : undefined;
  },
  write: (params, name, sort) => {
    if (sort) params.set(name, printSort(sort));
    else params.delete(name);
  },
});

type SortKey = string | number | undefined;

function compare(one: SortKey, two: SortKey, sign: number): number {
  if (one === undefined || two === undefined) return Number(one === undefined) - Number(two === undefined);
  return (
    sign * (typeof one === 'string' && typeof two === 'string' ? compareNames(one, two) : Number(one) - Number(two))
  );
}

/** Sorts stably by a key that is computed once for each row. Rows without one come last in both directions. */
export function sortRows<Row>(rows: readonly Row[], keyOf: (row: Row) => SortKey, down: boolean): Row[] {
  return rows
    .map((row) => ({ row, key: keyOf(row) }))
    .sort((one, two) => compare(one.key, two.key, down ? -1 : 1))
    .map(({ row }) => row);
}
