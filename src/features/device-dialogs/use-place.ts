// Where one device is. The API only lists all places, so its own is picked out of them.
import { useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { deviceQueries } from '#/api/devices.ts';
import { position } from '#/contract/devices.ts';
import type { DeviceLocation } from '#/contract/devices.ts';

/** `null`: never set, which services report as 0/0 or by leaving the device out. */
export function usePlace(id: string): UseQueryResult<DeviceLocation | null> {
  return useQuery({
    ...deviceQueries.locations(),
    select: (all) => {
      const place = all.find(({ DeviceId }) => DeviceId === id);
      return !place || (place.Lat === 0 && place.Lng === 0) ? null : place;
    },
  });
}

export const positionText = ({ Lat, Lng }: Pick<DeviceLocation, 'Lat' | 'Lng'>): string => `${Lat}, ${Lng}`;

/** Whether it is a point on earth; a service may report anything. */
export const isPlace = ({ Lat, Lng }: DeviceLocation): boolean => position.safeParse({ Lat, Lng }).success;
