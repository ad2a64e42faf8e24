// Waits for many new devices to come Online. Reads only the pages of the listing that contain devices that are still
// missing, two at a time.
import { MAX_ROWS_PER_PAGE, deviceEndpoints, type Device, type DevicePage } from '#/contract/devices.ts';
import { isMissing } from '#/api/api-error.ts';
import { call } from '#/api/call.ts';
import { query } from '#/api/query.ts';
import { eachOf } from '#/lib/pace.ts';

/** Up to this many devices are each read by id. */
const FEW = 6;
/** Most concurrent requests. */
const CONCURRENCY = 2;

export interface ArrivalSource {
  page: (page: number, rows: number, signal: AbortSignal) => Promise<DevicePage>;
  one: (id: string, signal: AbortSignal) => Promise<Device | undefined>;
}

const serviceSource: ArrivalSource = {
  page: (page_num, rows_per_page, signal) =>
    call(deviceEndpoints.page, { params: { page_num, rows_per_page } }, { signal }),
  one: async (id, signal) => {
    const params = { page_num: 1, rows_per_page: 25 };
    const found = await call(deviceEndpoints.filter, { params, query: { device_id: id } }, { signal });
    return found.find(({ DeviceId }) => DeviceId === id);
  },
};

let count = 0;

/** Tracks the awaited devices. A device that came Online once has arrived, whatever its state afterwards. */
export class Arrivals {
  /** Distinguishes instances in the cache. */
  readonly name = ++count;
  private readonly source: ArrivalSource;
  private readonly arrived = new Set<string>();
  private readonly pageOf = new Map<string, number>();
  /** Not found in the whole listing: probably deleted. */
  private readonly missing = new Set<string>();
  private rows = MAX_ROWS_PER_PAGE;

  constructor(source: ArrivalSource = serviceSource) {
    this.source = source;
  }

  /** Whether none of these is still awaited. */
  isOver(ids: readonly string[]): boolean {
    return ids.every((id) => this.arrived.has(id) || this.missing.has(id));
  }

  /** Checks these devices once; returns all that have arrived so far. */
  async check(ids: readonly string[], signal: AbortSignal): Promise<ReadonlySet<string>> {
    const waiting = ids.filter((id) => !this.arrived.has(id) && !this.missing.has(id));
    if (waiting.length <= FEW) await eachOf(waiting, CONCURRENCY, (id) => this.checkOne(id, signal));
    else await this.lookThroughPages(waiting, signal);
    return new Set(this.arrived);
  }

  private note({ DeviceId, DeviceStatus }: Device): void {
    if (DeviceStatus === 'Online') this.arrived.add(DeviceId);
  }

  private async checkOne(id: string, signal: AbortSignal): Promise<void> {
    const device = await this.source.one(id, signal);
    if (device) this.note(device);
    else this.missing.add(id);
  }

  private async lookThroughPages(waiting: string[], signal: AbortSignal): Promise<void> {
    const open = new Set(waiting);
    const seen = new Set<number>();
    const read = async (page: number) => {
      seen.add(page);
      const answer = await this.source.page(page, this.rows, signal).catch((error: unknown) => {
        // Some services answer 404 for a page past the end.
        if (page > 1 && isMissing(error)) return { Devices: [], TotalNumDevices: undefined };
        throw error;
      });
      for (const device of answer.Devices) {
        if (!open.delete(device.DeviceId)) continue;
        this.pageOf.set(device.DeviceId, page);
        this.note(device);
      }
      return answer;
    };
    await eachOf(
      [...new Set(waiting.map((id) => this.pageOf.get(id)))].filter((page) => page !== undefined),
      CONCURRENCY,
      read,
    );
    if (open.size === 0) return;
    // Some devices have moved or were on no known page: new ones are at the end of most listings, at the start of others.
    const { Devices, TotalNumDevices: total } = await read(1);
    if (Devices.length < this.rows && (total ?? 0) > Devices.length && Devices.length > 0) {
      // The service returns fewer rows than requested, so the known pages are wrong.
      this.rows = Devices.length;
      this.pageOf.clear();
      return this.lookThroughPages(waiting, signal);
    }
    if (total === undefined)
      for (let page = 2, full = Devices.length >= this.rows; full && open.size > 0; page++)
        full = (await read(page)).Devices.length >= this.rows;
    else
      for (let page = Math.ceil(total / this.rows); page > 1 && open.size > 0; page--)
        if (!seen.has(page)) await read(page);
    // Devices may have shifted between pages meanwhile: only a request by id is reliable.
    for (const id of [...open].slice(0, FEW)) await this.checkOne(id, signal);
  }
}

export const arrivalQueries = {
  /** `ids`: all awaited devices, including those that have arrived. */
  of: (arrivals: Arrivals, ids: readonly string[]) =>
    query<typeof deviceEndpoints.page, ReadonlySet<string>>(
      deviceEndpoints.page,
      { params: { page_num: 1, rows_per_page: MAX_ROWS_PER_PAGE } },
      {
        part: `arrivals ${arrivals.name} ${ids.length}`,
        read: ({ signal }) => arrivals.check(ids, signal),
        keepPrevious: true,
        // Checking many devices takes many pages.
        poll: () => !arrivals.isOver(ids) && (ids.length > 2_000 ? 10_000 : 3_000),
        spacing: 5_000,
        staleTime: 0,
        gcTime: 0,
      },
    ),
};
