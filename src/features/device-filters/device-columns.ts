// Devices as rows of a CSV file: the documented fields, then the other fields of this service.
import { listCell } from '#/contract/csv.ts';
import type { Device, DeviceLocation } from '#/contract/devices.ts';
import { NAMED, addressOf, valueText } from './inventory.ts';

const HEAD = 'id,name,group,status,customer,site,tags,address,last seen,created,lat,lng'.split(',');

/** The tags of a device in one cell, as "Add many" reads them back. */
export const tagsCell = ({ Tags = [] }: Pick<Device, 'Tags'>): string =>
  listCell(Tags.map(({ TagId, TagName }) => TagName || TagId));

export interface DeviceColumns {
  head: string[];
  row: (device: Device) => string[];
}

/** The columns for these devices: inventory has one for each field that any of them has. */
export function deviceColumns(devices: Iterable<Device>, locations: readonly DeviceLocation[]): DeviceColumns {
  const located = new Map(locations.map((location) => [location.DeviceId, location]));
  const others = new Set<string>();
  for (const device of devices)
    for (const name in device)
      if (!NAMED.includes(name) && !others.has(name) && valueText(device[name]) !== '') others.add(name);
  const inventory = [...others].sort();
  return {
    head: [...HEAD, ...inventory],
    row: (device) => {
      const { Lat, Lng } = located.get(device.DeviceId) ?? { Lat: 0, Lng: 0 };
      // 0, 0 is no location.
      const degrees = (value: number) => ((Lat !== 0 || Lng !== 0) && Number.isFinite(value) ? String(value) : '');
      return [
        device.DeviceId,
        device.DeviceName,
        device.DeviceGroup,
        device.DeviceStatus,
        device.CustomerName ?? '',
        device.CustomerSite ?? '',
        tagsCell(device),
        addressOf(device),
        device.LastSeenTime ?? '',
        device.CreatedTime ?? '',
        degrees(Lat),
        degrees(Lng),
        ...inventory.map((name) => valueText(device[name])),
      ];
    },
  };
}
