// Pages of lists in which a role that is limited to groups sees only some rows, where no index could find them.

interface Numbered {
  seq: number;
}

/** Rows read at a time, and how often a request reads again: a page may be short although more follows. */
const BATCH = 250;
const MOST_BATCHES = 40;

export interface NarrowedPage<Row> {
  rows: Row[];
  /** Where the next page begins; '' at the end. */
  next: string;
}

/** At most `limit` rows below the number `before`, newest first, that `keep` leaves; all of them without it. */
export async function narrowed<Row extends Numbered>(
  limit: number,
  before: number,
  read: (before: number, limit: number) => Promise<Row[]>,
  keep: ((rows: Row[]) => Promise<Row[]>) | undefined,
): Promise<NarrowedPage<Row>> {
  const cut = (rows: Row[]) => rows.slice(0, limit);
  const nextOf = (rows: Row[]) => (rows.length > limit ? String(rows[limit - 1]?.seq ?? '') : '');
  if (!keep) {
    const rows = await read(before, limit + 1);
    return { rows: cut(rows), next: nextOf(rows) };
  }
  const kept: Row[] = [];
  let from = before;
  for (let batches = 0; kept.length <= limit; batches++) {
    if (batches === MOST_BATCHES) return { rows: kept, next: String(from) };
    const rows = await read(from, BATCH);
    kept.push(...(await keep(rows)));
    if (rows.length < BATCH) break;
    from = rows.at(-1)?.seq ?? 0;
  }
  return { rows: cut(kept), next: nextOf(kept) };
}
