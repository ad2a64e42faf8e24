// Names of groups to suggest: those of the pages of devices read so far. The API has no list of groups.
import { useQueryClient } from '@tanstack/react-query';
import { deviceQueries } from '#/api/devices.ts';
import type { DeviceRows } from '#/api/devices.ts';

export function useKnownGroups(): string[] {
  const pages = useQueryClient().getQueriesData<DeviceRows>({ queryKey: deviceQueries.pages });
  const names = pages.flatMap(([, page]) => page?.rows.map(({ DeviceGroup }) => DeviceGroup) ?? []);
  return [...new Set(names)].filter(Boolean).sort((one, two) => one.localeCompare(two));
}
