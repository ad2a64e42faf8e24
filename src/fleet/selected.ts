// The current devices of a selection. The API reads one device or a page, so a few are read one by one and many from
// the listing.
import { MAX_ROWS_PER_PAGE, deviceEndpoints, type Device } from '#/contract/devices.ts';
import { isMissing } from '#/api/api-error.ts';
import { call } from '#/api/call.ts';
import { findDevice } from '#/api/devices.ts';
import { eachOf } from '#/lib/pace.ts';
import { readPages } from './read-pages.ts';

/** Up to this number, one request for each device is cheaper than the listing. */
const ONE_BY_ONE = 40;
/** Most requests at a time. */
const AT_ONCE = 4;

/** Thrown to end a reading early. */
class Enough extends Error {}

/** In the order of `ids`, without deleted ones. */
export async function readSelected(
  ids: readonly string[],
  signal: AbortSignal,
  onProgress: (found: number) => void = () => {},
): Promise<Device[]> {
  const wanted = new Set(ids);
  const found = new Map<string, Device>();
  await (wanted.size <= ONE_BY_ONE ? readEach : readListing)(wanted, found, signal, () => onProgress(found.size));
  return [...wanted].flatMap((id) => found.get(id) ?? []);
}

type Reader = (
  wanted: ReadonlySet<string>,
  found: Map<string, Device>,
  signal: AbortSignal,
  onFound: () => void,
) => Promise<void>;

const readEach: Reader = (wanted, found, signal, onFound) =>
  eachOf([...wanted], AT_ONCE, async (id) => {
    const device = await findDevice(id, signal).catch((error: unknown) => {
      if (isMissing(error)) return undefined;
      throw error;
    });
    if (device) found.set(id, device);
    onFound();
  });

const readListing: Reader = async (wanted, found, signal, onFound) => {
  const seen = new Set<string>();
  const read = async () => {
    await readPages({
      rows: MAX_ROWS_PER_PAGE,
      readPage: (page_num, rows_per_page) => {
        // The rest of a large fleet is not needed.
        if (found.size === wanted.size) throw new Enough();
        return call(deviceEndpoints.page, { params: { page_num, rows_per_page } }, { signal });
      },
      take: (devices) => {
        const before = seen.size;
        for (const device of devices) {
          seen.add(device.DeviceId);
          if (wanted.has(device.DeviceId)) found.set(device.DeviceId, device);
        }
        onFound();
        return seen.size - before;
      },
    });
  };
  await read().catch((error: unknown) => {
    if (!(error instanceof Enough)) throw error;
  });
  // Devices that were added or removed meanwhile shift the pages: a few may have been missed.
  const missing = new Set([...wanted].filter((id) => !found.has(id)));
  if (missing.size > 0 && missing.size <= ONE_BY_ONE) await readEach(missing, found, signal, onFound);
};
