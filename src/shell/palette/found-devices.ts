// The devices that match a search: found in the whole fleet once it is in memory, and by the service until then.
import { useQuery } from '@tanstack/react-query';
import { useDebouncedValue } from '@mantine/hooks';
import { deviceQueries } from '#/api/devices.ts';
import { polled } from '#/api/query.ts';
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import { useFleet } from '#/fleet/use-fleet.ts';
import type { Device, DeviceFilter } from '#/contract/devices.ts';
import { paths } from '#/paths.ts';
import { stateLabel } from '#/ui/controls/state-words.ts';
import { bestOf, type Entry } from './entry.ts';

const MOST = 6;
/** The best matches are chosen among at most this many. */
const CANDIDATES = 500;
/** Milliseconds after the last keystroke before a request is sent. */
const DEBOUNCE = 150;

const entryOf = (device: Device): Entry => {
  const { DeviceId, DeviceName, DeviceGroup, DeviceStatus, CustomerName, CustomerSite, Tags = [] } = device;
  return {
    id: `device:${DeviceId}`,
    label: DeviceName || DeviceId,
    detail: [DeviceGroup, CustomerName, CustomerSite, DeviceId].filter(Boolean).join(' · '),
    also: Tags.map(({ TagName }) => TagName).join(' '),
    state: { label: stateLabel(DeviceStatus), mark: DeviceStatus },
    to: paths.device(DeviceId),
  };
};

function ofIndex(index: FleetIndex, search: string): { entries: Entry[]; total: number } {
  const rows = index.query({ filter: { search } });
  const exact = index.rowOf(search);
  const candidates = Array.from(rows.subarray(0, CANDIDATES), (row) => entryOf(index.uncachedDevice(row)));
  const best = bestOf(candidates, search, MOST);
  const first = exact === undefined ? [] : [entryOf(index.device(exact))];
  const others = best.filter(({ id }) => id !== first[0]?.id);
  return { entries: [...first, ...others].slice(0, MOST), total: rows.length };
}

/** `total`: the number of matches; undefined until the fleet is in memory. */
export function useFoundDevices(search: string) {
  const isSearching = search !== '';
  const fleet = useFleet({ need: isSearching });
  const { index } = fleet;
  const [settled] = useDebouncedValue(search, DEBOUNCE);
  // A filter of the API combines its conditions with AND, so that name and id take a request each.
  const queryOf = (filter: DeviceFilter) => ({
    ...polled(deviceQueries.page(1, MOST, filter), false),
    enabled: !index && settled !== '',
    gcTime: 30_000,
  });
  const named = useQuery(queryOf({ device_name: settled }));
  const withId = useQuery(queryOf({ device_id: settled }));
  if (!isSearching) return { entries: [], total: undefined, isBusy: false, fleet, error: null };
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
