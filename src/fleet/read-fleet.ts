// Reads the listing until it is reliable: devices that are added or removed during a reading shift the pages, and
// others may be missed.
import { sameValues } from '#/lib/same-values.ts';
import { readPages, type PageRead } from './read-pages.ts';
import type { Draft } from './table.ts';

export interface FleetReading {
  readPage: (page: number, rows: number) => Promise<PageRead>;
  /** Rows to request. */
  rows: number;
  /** Receives the devices. */
  draft: Draft;
  /** Number of devices at the last reading. */
  had: number;
  /** `order`: the rows that have been read, in the service's order. */
  onProgress?: (read: number, total: number | undefined, order: () => Uint32Array) => void;
}

export interface FleetRead {
  /** The rows of the devices, in the service's order. */
  order: Uint32Array;
  /** Rows to request the next time. */
  rows: number;
  /** False if no two readings agreed: then it contains the devices of all of them. */
  complete: boolean;
}

/** Readings before their results are merged. A large fleet is read fewer times. */
const mostReadings = (size: number) => (size > 20_000 ? 2 : 3);

export async function readFleet({ readPage, rows, draft, had, onProgress }: FleetReading): Promise<FleetRead> {
  let ask = rows;
  let before: Uint32Array | undefined;
  for (let reading = 1; ; reading++) {
    const seen = new Set<number>();
    const pages: number[][] = [];
    const read = await readPages({
      readPage,
      rows: ask,
      take: (devices, page) => {
        const fresh: number[] = [];
        for (const device of devices) {
          const row = draft.put(device);
          if (seen.has(row)) continue;
          seen.add(row);
          fresh.push(row);
        }
        pages[page] = fresh;
        return fresh.length;
      },
      // Only the first reading is progress; a second one checks.
      ...(reading === 1 &&
        onProgress && {
          onProgress: (count: number, total: number | undefined) =>
            onProgress(count, total, () => Uint32Array.from(pages.flat())),
        }),
    });
    ask = read.rows;
    const order = Uint32Array.from(pages.flat());
    // A fleet that is suddenly empty is read twice.
    const isSudden = order.length === 0 && had > 0;
    if ((read.steady && !isSudden) || (before && sameValues(before, order)))
      return { order, rows: ask, complete: true };
    if (reading >= mostReadings(order.length)) {
      const missed = before?.filter((row) => !seen.has(row)) ?? [];
      return { order: Uint32Array.from([...order, ...missed]), rows: ask, complete: false };
    }
    before = order;
  }
}
