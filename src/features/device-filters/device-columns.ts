// Devices as rows of a file: the fields that every service has, then what else this one has.
import type { Device, DeviceLocation } from '#/contract/devices.ts';

/** What has a column of its own, under whatever name. */
const NAMED: readonly string[] = [
  'DeviceId',
  'DeviceName',
  'DeviceGroup',
  'DeviceStatus',
  'CustomerName',
  'CustomerSite',
  'Tags',
  'LocalAddr',
  'LocalPort',
  'LastSeenTime',
  'CreatedTime',
];

const HEAD = 'id,name,group,status,customer,site,tags,address,last seen,created,lat,lng'.split(',');

const addressOf = ({ LocalAddr, LocalPort }: Device) =>
  [LocalAddr.includes(':') && LocalPort ? `[${LocalAddr}]` : LocalAddr, LocalPort].filter(Boolean).join(':');

const textOf = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);

export interface DeviceColumns {
  head: string[];
  row: (device: Device) => string[];
}

/** The columns for these devices: inventory has one for each field that any of them has. */
export function deviceColumns(devices: Iterable<Device>, places: readonly DeviceLocation[]): DeviceColumns {
  const placeOf = new Map(places.map((place) => [place.DeviceId, place]));
  const others = new Set<string>();
  for (const device of devices)
    for (const name in device)
      if (!NAMED.includes(name) && !others.has(name) && textOf(device[name]) !== '') others.add(name);
  const inventory = [...others].sort();
  return {
    head: [...HEAD, ...inventory],
    row: (device) => {
      const place = placeOf.get(device.DeviceId);
      // 0, 0 is no place.
      const placed = place && (place.Lat !== 0 || place.Lng !== 0) ? place : undefined;
      return [
        device.DeviceId,
        device.DeviceName,
        device.DeviceGroup,
        device.DeviceStatus,
        device.CustomerName ?? '',
        device.CustomerSite ?? '',
        (device.Tags ?? []).map(({ TagId, TagName }) => TagName || TagId).join(', '),
        addressOf(device),
        device.LastSeenTime ?? '',
        device.CreatedTime ?? '',
        placed && Number.isFinite(placed.Lat) ? String(placed.Lat) : '',
        placed && Number.isFinite(placed.Lng) ? String(placed.Lng) : '',
        ...inventory.map((name) => textOf(device[name])),
      ];
    },
  };
}
