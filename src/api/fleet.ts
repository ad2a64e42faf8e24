// The whole fleet, read page by page: for what the API cannot count or sort by itself (the overview, the map).
import { queryOptions } from '@tanstack/react-query';
import { MAX_ROWS_PER_PAGE, deviceEndpoints } from '#/contract/devices.ts';
import type { Device, DevicePage } from '#/contract/devices.ts';
import { call } from '#/api/call.ts';

/** Requests under way at a time: a service of one process must have room for others. */
const AT_ONCE = 2;

/**
 * Every device, each once, in the service's order. When a service gives fewer rows a page than asked, its own size is
 * taken as the page size from the start; without a total the reading ends at the first page that is not full.
 */
export async function readFleet(
  readPage: (page: number, rows: number) => Promise<DevicePage>,
  wanted: number = MAX_ROWS_PER_PAGE,
): Promise<Device[]> {
  const first = await readPage(1, wanted);
  const size = first.Devices.length;
  const total = first.TotalNumDevices;
  const rows = size > 0 && size < wanted && total !== undefined && total > size ? size : wanted;
  const pages: Device[][] = [first.Devices];
  const last = total === undefined ? Number.POSITIVE_INFINITY : Math.ceil(total / rows);
  let next = 2;
  let ended = size < rows;
  const readOn = async () => {
    while (!ended && next <= last) {
      const page = next++;
      const { Devices } = await readPage(page, rows);
      pages[page - 1] = Devices;
      if (Devices.length < rows) ended = true;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, readOn));
  // A device created or deleted meanwhile moves the pages: the same one may come twice.
  return [...new Map(pages.flat().map((device) => [device.DeviceId, device])).values()];
}

export const fleetQueries = {
  all: () =>
    queryOptions({
      queryKey: ['devices', 'fleet'],
      queryFn: ({ signal }) =>
        readFleet((page_num, rows_per_page) =>
          call(deviceEndpoints.page, { params: { page_num, rows_per_page } }, { signal }),
        ),
      staleTime: 10_000,
      // A small fleet is cheap to follow closely; a large one is read less often.
      refetchInterval: ({ state }) => ((state.data?.length ?? 0) > 2_000 ? 60_000 : 10_000),
    }),
};
