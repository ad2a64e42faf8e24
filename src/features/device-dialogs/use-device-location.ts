// The location of one device, from the list of all locations: the API has no other.
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { deviceQueries } from '#/api/devices.ts';
import type { DeviceLocation } from '#/contract/devices.ts';

/** `null`: never set, which services report as 0/0 or by leaving the device out. */
export function useDeviceLocation(id: string): UseQueryResult<DeviceLocation | null> {
  return useQuery({
    ...deviceQueries.locations(),
    select: (all) => all.find(({ DeviceId, Lat, Lng }) => DeviceId === id && (Lat !== 0 || Lng !== 0)) ?? null,
  });
}
