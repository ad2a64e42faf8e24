// A service in memory for the tests and benchmarks of the fleet, of any size, with the quirks of real ones.
import type { Device, DeviceLocation, DevicePage } from '#/contract/devices.ts';
import type { FleetSource } from './source.ts';

export function aDevice(n: number, fields: Partial<Device> = {}): Device {
  return {
    DeviceId: `id-${n}`,
    DeviceName: `camera-${n}`,
    DeviceGroup: ['lab', 'north', 'south'][n % 3] ?? '',
    LocalAddr: `10.0.${Math.floor(n / 250) % 250}.${n % 250}`,
    LocalPort: '22',
    DeviceStatus: n % 4 === 0 ? 'Offline' : 'Online',
    ...fields,
  };
}

interface Behavior {
  /** The largest page it returns, whatever is requested. */
  cap?: number;
  /** The total it reports: the true one, none, or the result of this function. */
  total?: 'none' | ((count: number) => number);
  /** Its answer for a page past the end: empty, an error, or the last page again. */
  pastEnd?: (page: number) => DevicePage | Promise<never>;
}

/** A service that can be changed between two pages. */
export class FakeService implements FleetSource {
  devices: Device[];
  locations: DeviceLocation[] = [];
  behavior: Behavior;
  /** Called before each page is answered. */
  onPage: (page: number) => void | Promise<void> = () => {};
  readonly asked: [page: number, rows: number][] = [];
  locationsAsked = 0;
  peak = 0;
  private underWay = 0;

  constructor(count: number, behavior: Behavior = {}) {
    this.devices = Array.from({ length: count }, (_, n) => aDevice(n));
    this.behavior = behavior;
  }

  readonly readPage = (page: number, rows: number): Promise<DevicePage> =>
    this.answered(async () => {
      this.asked.push([page, rows]);
      await this.onPage(page);
      const { cap = Infinity, total = (count: number) => count, pastEnd } = this.behavior;
      const size = Math.min(rows, cap);
      const Devices = this.devices.slice((page - 1) * size, page * size);
      if (Devices.length === 0 && page > 1 && pastEnd) return pastEnd(page);
      return total === 'none' ? { Devices } : { Devices, TotalNumDevices: total(this.devices.length) };
    });

  readonly readLocations = (): Promise<DeviceLocation[]> =>
    this.answered(async () => {
      this.locationsAsked++;
      return [...this.locations];
    });

  private async answered<Answer>(make: () => Promise<Answer>): Promise<Answer> {
    this.peak = Math.max(this.peak, ++this.underWay);
    await Promise.resolve();
    try {
      return await make();
    } finally {
      this.underWay--;
    }
  }
}
