// Which devices changed since the last version: read once for all parts of the page that show devices, so that keeping a
// fleet of 100,000 current costs only its changes.
import { changeEndpoints } from '#/contract/changes.ts';
import { device, type Device } from '#/contract/devices.ts';
import { list } from '#/contract/endpoint.ts';
import { isNotOffered } from './api-error.ts';
import { pathOf, send } from './call.ts';
import { requireOffer } from './capabilities.ts';
import { readList } from './list-text.ts';

/** A device as in the listing, with its location if the service reports that. */
export interface ReportedDevice {
  device: Device;
  position: { Lat: number; Lng: number } | undefined;
}

export interface DeviceChanges {
  version: string;
  /** The version is too old: everything has to be read again. */
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
  /** Whether a reported change was never read. */
  hasMissed = false;
  private readonly listeners = new Set<(changes: DeviceChanges) => void>();

  constructor(read: ReadChanges) {
    this.read = read;
  }

  /** The version read last; '' before the first read. */
  get current(): string {
    return this.version;
  }

  /** Whether the service reports device changes; undefined until known. */
  get offered(): boolean | undefined {
    return this.isOffered;
  }

  /** Whether there is a version from which changes can be read. */
  get hasVersion(): boolean {
    return this.version !== '';
  }

  /** Calls back with every change from now on. */
  readonly subscribe = (listener: (changes: DeviceChanges) => void): (() => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  /** Takes the current version, so that later changes can be read from it on; false if the service reports none. */
  async begin(): Promise<boolean> {
    if (this.version !== '' || this.isOffered === false) return this.isOffered ?? false;
    try {
      const { version } = await this.read('');
      this.isOffered = true;
      // A concurrent caller may have set it first.
      if (this.version === '') this.version = version;
    } catch (error) {
      // The read that starts now reports any other failure.
      if (isNotOffered(error)) this.isOffered = false;
    }
    return this.version !== '';
  }

  /** Reads the changes since the last version, and once more if another was reported meanwhile. */
  readonly catchUp = (): Promise<void> => {
    if (this.reading) this.isBehind = true;
    else
      this.reading = this.readChangesSince().finally(() => {
        this.reading = undefined;
      });
    return this.reading;
  };

  /** The session has ended. */
  forget(): void {
    this.version = '';
    this.isOffered = undefined;
  }

  private async readChangesSince(): Promise<void> {
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

/** Parts of the page that show devices without a query: each returns whether it shows any now. */
export const shownDevices = new Set<() => boolean>();
