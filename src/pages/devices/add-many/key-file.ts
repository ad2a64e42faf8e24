// The keys as a file: one row a device, with the command that holds its key.
import { csvText } from '#/fleet/csv.ts';
import { installCommands } from '#/pages/devices/install-commands.ts';
import type { Entry } from './run-entry.ts';

/** A device whose key is at hand. */
export type Keyed = Entry & { id: string; key: string };

export const isKeyed = (entry: Entry): entry is Keyed => entry.id !== undefined && entry.key !== undefined;

/** `origin`: the address of the service that the commands name. */
export const keyFile = (entries: readonly Keyed[], origin: string): string =>
  csvText([
    ['name', 'group', 'device_id', 'device_key', 'install_command'],
    ...entries.map(({ order, id, key }) => [order.name, order.group, id, key, installCommands(origin, key).curl]),
  ]);
