// Which devices changed: read once for all parts of the page that show devices, from the version of the reading before,
// so that a fleet of 100,000 stays current for the price of its changes.
import { changeEndpoints } from '#/contract/changes.ts';
import { device, type Device } from '#/contract/devices.ts';
import { list } from '#/contract/endpoint.ts';
import { isNotOffered } from './api-error.ts';
import { pathOf, send } from './call.ts';
import { requireOffer } from './capabilities.ts';
import { readList } from './list-text.ts';

/** A device as in the listing, with its location where that is reported. */
export interface ReportedDevice {
  device: Device;
  position: { Lat: number; Lng: number } | undefined;
}

export interface DeviceChanges {
  version: string;
  /** Too much happened since: everything has to be read again. */
  reset: boolean;
  changed: readonly ReportedDevice[];
  removed: readonly string[];
}

export type ReadChanges = (since: string) => Promise<DeviceChanges>;

const rows = list(device);

const readChanges: ReadChanges = async (since) => {
  await requireOffer('live');
  const answer = await send('GET', pathOf(changeEndpoints.changes, { query: { since } }));
  const { rows: devices, frame } = await readList(answer, rows, { name: 'Devices', isFrame });
  return {
    version: frame.Version,
    reset: frame.Reset,
    changed: devices.map(({ Lat, Lng, ...rest }) => ({
      device: rest,
      position: typeof Lat === 'number' && typeof Lng === 'number' ? { Lat, Lng } : undefined,
    })),
    removed: frame.Removed,
  };
};

interface Frame {
  Version: string;
  Reset: boolean;
  Removed: string[];
}

const isFrame = (value: unknown): value is Frame => {
  const { Version, Reset, Removed } = (value ?? {}) as Partial<Frame>;
  return typeof Version === 'string' && typeof Reset === 'boolean' && Array.isArray(Removed);
};

export class DeviceFeed {
  private readonly read: ReadChanges;
  private version = '';
  private isOffered: boolean | undefined;
  private reading: Promise<void> | undefined;
  private isBehind = false;
  /** Something was reported that nobody has read. */
  hasMissed = false;
  private readonly listeners = new Set<(changes: DeviceChanges) => void>();

  constructor(read: ReadChanges) {
    this.read = read;
  }

  /** What was read last; '' before anything was. */
  get present(): string {
    return this.version;
  }

  /** Whether the service has this; undefined while that is not known. */
  get offered(): boolean | undefined {
    return this.isOffered;
  }

  /** Whether it is known since when changes are missing. */
  get hasBegun(): boolean {
    return this.version !== '';
  }

  /** Calls back with every change from now on. */
  readonly subscribe = (listener: (changes: DeviceChanges) => void): (() => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  /** Makes sure that whatever is read from now on is followed by its changes; false where the service has none. */
  async begin(): Promise<boolean> {
    if (this.version !== '' || this.isOffered === false) return this.isOffered ?? false;
    try {
      const { version } = await this.read('');
      this.isOffered = true;
      // Another caller may have been faster.
      if (this.version === '') this.version = version;
    } catch (error) {
      // Any other failure is one of the reading that begins now.
      if (isNotOffered(error)) this.isOffered = false;
    }
    return this.version !== '';
  }

  /** Reads what changed since the last time, and once more where something was reported meanwhile. */
  readonly catchUp = (): Promise<void> => {
    if (this.reading) this.isBehind = true;
    else
      this.reading = this.readOn().finally(() => {
        this.reading = undefined;
      });
    return this.reading;
  };

  /** The session has ended. */
  forget(): void {
    this.version = '';
    this.isOffered = undefined;
  }

  private async readOn(): Promise<void> {
    do {
      this.isBehind = false;
      this.hasMissed = false;
      const since = this.version;
      if (since === '') return;
      const changes = await this.read(since);
      if (this.version !== since) return;
      this.version = changes.version;
      if (changes.reset || changes.changed.length > 0 || changes.removed.length > 0)
        for (const listener of this.listeners) listener(changes);
    } while (this.isBehind);
  }
}

export const deviceFeed = new DeviceFeed(readChanges);

/** The parts of the page that show devices apart from queries: each says whether it does so now. */
export const shownDevices = new Set<() => boolean>();
