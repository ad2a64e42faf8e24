// Whether the devices at the other ends of tunnels are there: as the service reports it with the tunnel, or from the fleet.
import { useQuery } from '@tanstack/react-query';
import type { Tunnel } from '#/contract/tunnels.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { accountQueries } from '#/api/account.ts';
import { useFleet } from '#/fleet/use-fleet.ts';
import type { StateOf } from './exposure.ts';

const asWritten = (state: string): string =>
  ['Online', 'Offline'].find((known) => known.toLowerCase() === state.toLowerCase()) ?? state;

export function useDeviceStates(tunnels: readonly Tunnel[]): StateOf {
  const isMissing = tunnels.some(({ DeviceId, DeviceStatus }) => DeviceId && !DeviceStatus);
  const account = useQuery({ ...accountQueries.get(), enabled: isMissing });
  // A large fleet is not read for a mark.
  const { index, at } = useFleet({ devices: isMissing ? account.data?.NumDevicesAdded : undefined });
  return ({ DeviceId, DeviceStatus, Created }) => {
    if (DeviceStatus) return asWritten(DeviceStatus);
    if (!DeviceId || !index || at === undefined) return undefined;
    const row = index.rowOf(DeviceId);
    if (row !== undefined) return asWritten(index.device(row).DeviceStatus);
    // A device that was added after the fleet was read is not gone.
    const opened = parseTimestamp(Created);
    return index.complete && opened && opened.getTime() < at ? 'Gone' : undefined;
  };
}
