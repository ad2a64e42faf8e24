// The devices of a deploy's target, as a list that does not change while it is reviewed.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { devicesText } from '#/lib/format.ts';
import type { Device } from '#/contract/devices.ts';
import { accountQueries } from '#/api/account.ts';
import { memberQueries, type JobTarget } from '#/fleet/members.ts';
import { tagQueries } from '#/api/tags.ts';
import { transferredDevices } from '#/features/bulk/device-transfer.ts';
import type { DeployChoice } from './deploy-choice.ts';

export type Reach = ReturnType<typeof useReach>;

const NOBODY: JobTarget = { ids: [], key: '' };

function jobTargetOf({ kind, value }: DeployChoice['target']): JobTarget | undefined {
  if (value === '') return undefined;
  if (kind === 'device') return { ids: [value], key: `device ${value}` };
  if (kind === 'group') return { group: value };
  if (kind === 'tag') return { tag: value };
  const ids = transferredDevices(value);
  return ids && { ids, key: `selection ${value}` };
}

export function useReach(target: DeployChoice['target']) {
  const { kind, value } = target;
  const client = useQueryClient();
  const jobTarget = jobTargetOf(target);
  const members = memberQueries.of(jobTarget ?? NOBODY);
  const { data: devices, ...query } = useQuery({ ...members, enabled: jobTarget !== undefined });
  const tags = useQuery({ ...tagQueries.list(), enabled: kind === 'tag', retry: false });
  const account = useQuery({ ...accountQueries.get(), enabled: kind === 'selection' });
  const name =
    kind === 'group'
      ? value
      : kind === 'tag'
        ? tags.data?.find(({ TagId }) => TagId === value)?.TagName || value
        : undefined;
  const wanted = jobTarget && 'ids' in jobTarget ? jobTarget.ids.length : 0;
  const labelOf = () => {
    if (kind === 'device') return devices?.[0]?.DeviceName || value;
    return name === undefined ? devicesText(devices?.length ?? wanted) : `${kind} ${name}`;
  };
  return {
    kind,
    /** Undefined while there is no choice, and for a selection of another tab. */
    jobTarget,
    /** In words: "camera-7", "group lab". Undefined while there is no choice. */
    label: jobTarget && labelOf(),
    /** What may be typed to confirm instead of the count: the name of a group or tag. */
    name,
    /** Undefined until they are read, and it is known how the service takes them. */
    devices: jobTarget && (kind === 'selection' && account.isPending ? undefined : devices),
    /** How many devices of a selection the service takes as one target. */
    mostListed: account.data?.JobDevicesLimit ?? 0,
    /** Of a selection: how many are not there any more. */
    gone: devices && wanted > 0 ? wanted - devices.length : 0,
    at: new Date(query.dataUpdatedAt),
    error: jobTarget ? query.error : null,
    isFetching: query.isFetching,
    refetch: query.refetch as () => unknown,
    /** Takes these as the members that were reviewed. */
    accept: (next: Device[]) => void client.setQueryData(members.queryKey, next),
  };
}
