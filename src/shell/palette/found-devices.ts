// The devices that a search finds: in the whole fleet once it is in memory, and asked of the service until then.
import { useQuery } from '@tanstack/react-query';
import { useDebouncedValue } from '@mantine/hooks';
import { deviceQueries } from '#/api/devices.ts';
import { polled } from '#/api/query.ts';
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import { useFleet } from '#/fleet/use-fleet.ts';
import type { Device, DeviceFilter } from '#/contract/devices.ts';
import { paths } from '#/paths.ts';
import { bestOf, type Entry } from './entry.ts';

const MOST = 6;
/** Of very many that match, these are looked at for the ones that match best. */
const LOOKED_AT = 500;
/** Milliseconds without a key before the service is asked. */
const PAUSE = 150;

const entryOf = (device: Device): Entry => {
  const { DeviceId, DeviceName, DeviceGroup, DeviceStatus, CustomerName, CustomerSite, Tags = [] } = device;
  return {
    id: `device:${DeviceId}`,
    label: DeviceName || DeviceId,
    detail: [DeviceGroup, CustomerName, CustomerSite, DeviceId].filter(Boolean).join(' · '),
    also: Tags.map(({ TagName }) => TagName).join(' '),
    state: { label: DeviceStatus, mark: DeviceStatus },
    to: paths.device(DeviceId),
  };
};

function ofIndex(index: FleetIndex, search: string): { entries: Entry[]; total: number } {
  const rows = index.query({ filter: { search } });
  const exact = index.rowOf(search);
  const looked = Array.from(rows.subarray(0, LOOKED_AT), (row) => entryOf(index.uncachedDevice(row)));
  const best = bestOf(looked, search, MOST);
  const first = exact === undefined ? [] : [entryOf(index.device(exact))];
  const others = best.filter(({ id }) => id !== first[0]?.id);
  return { entries: [...first, ...others].slice(0, MOST), total: rows.length };
}

/** `total`: how many there are in all; undefined where only the service was asked, for some of them. */
export function useFoundDevices(search: string) {
  const isAsked = search !== '';
  const fleet = useFleet({ need: isAsked });
  const { index } = fleet;
  const [settled] = useDebouncedValue(search, PAUSE);
  // A filter of the API holds all its conditions at once, so that a name and an id are two questions.
  const ask = (filter: DeviceFilter) => ({
    ...polled(deviceQueries.page(1, MOST, filter), false),
    enabled: !index && settled !== '',
    gcTime: 30_000,
  });
  const named = useQuery(ask({ device_name: settled }));
  const withId = useQuery(ask({ device_id: settled }));
  if (!isAsked) return { entries: [], total: undefined, isBusy: false, fleet, error: null };
  if (index) return { ...ofIndex(index, search), isBusy: false, fleet, error: null };
  const byId = new Map(
    [...(named.data?.rows ?? []), ...(withId.data?.rows ?? [])].map((device) => [device.DeviceId, entryOf(device)]),
  );
  return {
    entries: bestOf([...byId.values()], settled, MOST),
    total: undefined,
    isBusy: settled !== search || named.isFetching || withId.isFetching,
    fleet,
    error: named.error ?? withId.error,
  };
}

export type FoundDevices = ReturnType<typeof useFoundDevices>;
