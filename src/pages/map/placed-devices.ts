// The fleet as the map sees it: each device with its place, or with the reason why it has none.
import type { Device, DeviceLocation } from '#/contract/devices.ts';
import type { FleetFilter } from '#/paths.ts';

/**
 * - `placed`: drawn. - `unplaced`: never located; the API says 0/0 for it (v1.md, "Device location").
 * - `invalid`: the service has coordinates that no place on Earth has.
 */
export type Placement = 'placed' | 'unplaced' | 'invalid';

export interface MapDevice {
  device: Device;
  placement: Placement;
  lat: number;
  lng: number;
}

const placementOf = ({ Lat, Lng }: DeviceLocation): Placement => {
  if (Lat === 0 && Lng === 0) return 'unplaced';
  return Math.abs(Lat) <= 90 && Math.abs(Lng) <= 180 ? 'placed' : 'invalid';
};

/** Joins fleet and locations. A location of a device that the listing does not have (yet) is left out. */
export function placeDevices(devices: Device[], locations: DeviceLocation[]): MapDevice[] {
  const byId = new Map(locations.map((location) => [location.DeviceId, location]));
  return devices.map((device) => {
    const location = byId.get(device.DeviceId);
    return location
      ? { device, placement: placementOf(location), lat: location.Lat, lng: location.Lng }
      : { device, placement: 'unplaced', lat: 0, lng: 0 };
  });
}

const folded = (text: string) => text.toLowerCase();

/** The same conditions, under the same names, as the device table's; all must hold. */
export function filterDevices(devices: MapDevice[], { name, group, status, id, tag }: FleetFilter): MapDevice[] {
  const part = name && folded(name);
  const idPart = id && folded(id);
  return devices.filter(
    ({ device }) =>
      (!part || folded(device.DeviceName).includes(part)) &&
      (!idPart || folded(device.DeviceId).includes(idPart)) &&
      (!group || device.DeviceGroup === group) &&
      (!status || folded(device.DeviceStatus) === folded(status)) &&
      (!tag || device.Tags?.some(({ TagId, TagName }) => TagId === tag || TagName === tag)),
  );
}

/** The part of the map on the screen: centre in degrees and Leaflet's zoom. */
export interface MapView {
  lat: number;
  lng: number;
  zoom: number;
}

/** `at=52.5000,13.4000,6` in the URL; undefined when absent or unreadable. */
export function readView(at: string | null): MapView | undefined {
  const [lat = Number.NaN, lng = Number.NaN, zoom = Number.NaN] = (at ?? '').split(',').map(Number);
  return at && Math.abs(lat) <= 90 && Number.isFinite(lng) && zoom >= 0 && zoom <= 19 ? { lat, lng, zoom } : undefined;
}

export const printView = ({ lat, lng, zoom }: MapView): string => `${lat.toFixed(4)},${lng.toFixed(4)},${zoom}`;
