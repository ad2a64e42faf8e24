// Texts about the rows that are shown, of how many, as far as the service reports.
import { formatCount } from '#/lib/format.ts';

export interface PageRange {
  page: number;
  /** Rows per page. */
  rows: number;
  /** On this page. */
  shown: number;
  /** Undefined where the service does not count. */
  total: number | undefined;
  /** Whether there may be a next page. */
  more: boolean;
}

/** "26–50 of 1,234"; "26–50 of many" where the total is not known; the last page shows it. */
export function rangeText({ page, rows, shown, total, more }: PageRange): string {
  const before = (page - 1) * rows;
  if (shown === 0) return total === undefined ? 'No rows' : `No rows of ${formatCount(total)}`;
  const range = `${formatCount(before + 1)}–${formatCount(before + shown)}`;
  const known = total ?? (more ? undefined : before + shown);
  return known === undefined ? `${range} of many` : `${range} of ${formatCount(known)}`;
}

/** The last page, where it is known. */
export function lastPage({ page, rows, total, more }: Omit<PageRange, 'shown'>): number | undefined {
  if (total !== undefined) return Math.max(1, Math.ceil(total / rows));
  return more ? undefined : page;
}
