// The columns of the device table as a file has them: whole ids, times as the service wrote them, an empty cell for none.
import type { Device } from '#/contract/devices.ts';
import type { DeviceColumns } from '#/features/device-filters/device-columns.ts';
import { addressOf } from '#/features/device-filters/inventory.ts';
import { tagsOf, valueText } from '#/pages/devices/table/table-columns.tsx';
import type { TableColumn } from '#/pages/devices/table/table-columns.tsx';

function cellText({ id, field }: TableColumn, device: Device): string {
  if (id === 'tags') return tagsOf(device);
  return id === 'address' ? addressOf(device) : valueText(device[field]);
}

export const viewColumns = (columns: readonly TableColumn[]): DeviceColumns => ({
  head: columns.map(({ label }) => label),
  row: (device) => columns.map((column) => cellText(column, device)),
});
