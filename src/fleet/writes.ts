// What a write did to the fleet, for the time until the fleet is read again.
import type { DeviceChange, Position } from '#/contract/devices.ts';
import type { Tag } from '#/contract/tags.ts';
import { withPlaces } from './places.ts';
import { Draft, type Table } from './table.ts';

/** What a write that was carried out did to one device. */
export type DeviceWrite =
  | { id: string; is: 'changed'; fields: DeviceChange & { Tags?: Tag[] } }
  | { id: string; is: 'located'; position: Position }
  | { id: string; is: 'deleted' };

/** A table after some writes. */
export function written(table: Table, writes: DeviceWrite[]): Table {
  let next = table;
  for (const write of writes) {
    const row = next.rowOf.get(write.id);
    if (row === undefined || next.alive[row] !== 1) continue;
    if (write.is === 'located') {
      next = withPlaces(next, [[row, write.position]]);
      continue;
    }
    const draft = new Draft(next);
    if (write.is === 'changed') draft.change(row, write.fields);
    next = draft.finish(write.is === 'deleted' ? next.order.filter((each) => each !== row) : next.order);
  }
  return next;
}
