// What is known of single devices before the fleet is read again: what a write did, or a page of the service says.
import type { Device, DeviceChange, Position } from '#/contract/devices.ts';
import type { Tag } from '#/contract/tags.ts';
import { withPlaces } from './places.ts';
import { Draft, type Table } from './table.ts';

/** What a write did to one device, or a page of the service says of it. */
export type DeviceWrite =
  | { id: string; is: 'read'; device: Device }
  | { id: string; is: 'changed'; fields: DeviceChange & { Tags?: Tag[] } }
  | { id: string; is: 'located'; position: Position }
  | { id: string; is: 'tagged'; tag: Tag; on: boolean }
  | { id: string; is: 'deleted' };

/** A table after some writes. */
export function written(table: Table, writes: readonly DeviceWrite[]): Table {
  const draft = new Draft(table);
  const positions: [row: number, at: Position][] = [];
  const gone = new Set<number>();
  for (const write of writes) {
    const row = table.rowOf.get(write.id);
    if (row === undefined || table.alive[row] !== 1) continue;
    if (write.is === 'read') draft.put(write.device);
    else if (write.is === 'changed') draft.change(row, write.fields);
    else if (write.is === 'tagged') draft.tag(row, write.tag, write.on);
    else if (write.is === 'located') positions.push([row, write.position]);
    else gone.add(row);
  }
  const next = draft.finish(gone.size > 0 ? table.order.filter((row) => !gone.has(row)) : table.order);
  return positions.length > 0 ? withPlaces(next, positions) : next;
}
