// By which column a table is sorted, and which way, as the URL has it.
import type { UrlPart } from '#/ui/url/url-schema.ts';

export interface Sort {
  by: string;
  down: boolean;
}

export const sortedBy = (id: string, sort: Sort | undefined): 'ascending' | 'descending' | undefined =>
  sort?.by === id ? (sort.down ? 'descending' : 'ascending') : undefined;

export const printSort = ({ by, down }: Sort): string => `${down ? '-' : ''}${by}`;

/** "name" and "-name", as the URL has it. `columns`: those that may be sorted by; without them any. */
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
