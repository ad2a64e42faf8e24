// Groups, customers and sites to suggest: those of the devices read so far, since the API lists none of them.
import { useQueryClient } from '@tanstack/react-query';
import { readDevicePages } from '#/api/devices.ts';
import type { Device } from '#/contract/devices.ts';

export function useKnownValues(
  field: 'DeviceGroup' | 'CustomerName' | 'CustomerSite',
  more: readonly Device[] = [],
): string[] {
  const pages = readDevicePages(useQueryClient());
  const values = [...more, ...pages.flatMap(({ rows }) => rows)].flatMap((device) => device[field] || []);
  return [...new Set(values)].sort((one, two) => one.localeCompare(two));
}
