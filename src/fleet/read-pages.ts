// Reads all pages of the listing once. The service may report no total, may return fewer rows per page than requested,
// and its devices may change meanwhile.
import { formatCount } from '#/lib/format.ts';
import type { Device, DevicePage } from '#/contract/devices.ts';
import { ApiError, isMissing } from '#/api/api-error.ts';

/** Most requests at a time, to leave capacity for others. */
export const AT_ONCE = 2;

export interface PageRead extends DevicePage {
  /** Rows that were left out because they cannot be read. They count as read. */
  unreadable?: number;
}

export interface PageReading {
  readPage: (page: number, rows: number) => Promise<PageRead>;
  /** Rows to request. */
  rows: number;
  /** Receives the devices of a page; returns how many of them are new in this reading. */
  take: (devices: Device[], page: number) => number;
  onProgress?: (read: number, total: number | undefined) => void;
}

export interface PagesRead {
  /** The service's page size: rows to request the next time. */
  rows: number;
  total: number | undefined;
  /** False if pages shifted during the reading, so that devices may be missing. */
  steady: boolean;
}

/** Reads every page. A failing page fails the reading: an incomplete fleet is never shown. */
export async function readPages({ readPage, rows: wanted, take, onProgress }: PageReading): Promise<PagesRead> {
  let rows = wanted;
  let total: number | undefined;
  let counts = true;
  let shrank = false;
  let count = 0;
  let unique = 0;
  /** The first page that was not full. */
  let short = Number.POSITIVE_INFINITY;

  const read = async (page: number) => {
    const answer = await readPage(page, rows).catch((error: unknown) => {
      // Past the end some services have no page at all.
      if (page > 1 && isMissing(error)) return { Devices: [], TotalNumDevices: undefined };
      throw error;
    });
    const { Devices, TotalNumDevices: reported, unreadable = 0 }: PageRead = answer;
    const length = Devices.length + unreadable;
    const before = page > 1 ? (page - 1) * rows : 0;
    if (reported !== undefined) {
      // A total that the page itself disproves does not count.
      if (length > 0 && reported < before + length) counts = false;
      if (total !== undefined && reported < total) shrank = true;
      total = reported;
    }
    const fresh = take(Devices, page) + unreadable;
    count += length;
    unique += fresh;
    // A page without new devices is an end too: some services repeat their last page forever.
    if (length < rows || fresh === 0) short = Math.min(short, page);
    onProgress?.(unique, counts ? total : undefined);
    return length;
  };

  const length = await read(1);
  if (length === 0 && total !== undefined && total > 0)
    throw new ApiError('unexpected', 'Unexpected response', {
      status: 200,
      detail: `The service says that there are ${formatCount(total)} devices, and lists none of them.`,
    });
  // Fewer than requested: all there are, or the service's largest page. Without a total the second page decides.
  const isCapped = length > 0 && length < wanted && (counts && total !== undefined ? total > length : true);
  if (isCapped) {
    rows = length;
    short = Number.POSITIVE_INFINITY;
  }

  const last = () => (counts && total !== undefined ? Math.ceil(total / rows) : Number.POSITIVE_INFINITY);
  let next = 2;
  const readOn = async () => {
    while (next <= last() && (next < short || last() < Number.POSITIVE_INFINITY)) await read(next++);
  };
  // Without a count, the second page decides whether there is a third.
  if (last() === Number.POSITIVE_INFINITY && isCapped) await read(next++);
  await Promise.all(Array.from({ length: AT_ONCE }, readOn));
  // After a full last page there may be another, if there is no count or the total may be that of the page alone.
  const isOpenEnd = () => short === Number.POSITIVE_INFINITY && (last() === Number.POSITIVE_INFINITY || total === rows);
  while (isOpenEnd()) await read(next++);

  const known = counts ? total : undefined;
  return {
    rows: short === 2 && known === undefined ? wanted : rows,
    total: known,
    steady: count === unique && !shrank && (known === undefined || known === unique),
  };
}
