// The keys as a file: one row per device, with the command that contains its key.
import { csvText } from '#/contract/csv.ts';
import type { Creation } from './creation.ts';

export type Keyed = Creation & { deviceKey: string };

export const isKeyed = (creation: Creation): creation is Keyed => creation.deviceKey !== undefined;

/** `command`: makes the command that sets up a machine as the device with this key, if there is one. */
export const keyFile = (keyed: readonly Keyed[], command: ((key: string) => string) | undefined): string =>
  csvText([
    ['name', 'group', 'device_id', 'device_key', ...(command ? ['install_command'] : [])],
    ...keyed.map(({ asked, id, deviceKey }) => [
      asked.DeviceName,
      asked.DeviceGroup,
      id,
      deviceKey,
      ...(command ? [command(deviceKey)] : []),
    ]),
  ]);
