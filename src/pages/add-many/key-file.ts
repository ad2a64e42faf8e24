// The keys as a file: one row a device, with the command that holds its key.
import { csvText } from '#/contract/csv.ts';
import type { RunEntry } from './run-entry.ts';

export type Keyed = RunEntry & { id: string; key: string };

export const isKeyed = (entry: RunEntry): entry is Keyed => entry.id !== undefined && entry.key !== undefined;

/** `command`: the line that makes a machine the device with this key, where there is one. */
export const keyFile = (entries: readonly Keyed[], command: ((key: string) => string) | undefined): string =>
  csvText([
    ['name', 'group', 'device_id', 'device_key', ...(command ? ['install_command'] : [])],
    ...entries.map(({ device, id, key }) => [device.name, device.group, id, key, ...(command ? [command(key)] : [])]),
  ]);
