// The devices of a deploy's target, as a list that does not change during the review.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { devicesText, formatCount } from '#/lib/format.ts';
import type { Account } from '#/contract/account.ts';
import type { Device } from '#/contract/devices.ts';
import { accountQueries } from '#/api/account.ts';
import { offers } from '#/api/capabilities.ts';
import { memberQueries, type JobTarget } from '#/fleet/members.ts';
import { tagQueries } from '#/api/tags.ts';
import { NO_SELECTION, transferredDevices } from '#/features/bulk/device-transfer.ts';
import type { DeployChoice } from './deploy-choice.ts';

export type DeployTargets = ReturnType<typeof useDeployTargets>;

const NOBODY: JobTarget = { ids: [], key: '' };

function jobTargetOf({ kind, value }: DeployChoice['target']): JobTarget | undefined {
  if (value === '') return undefined;
  if (kind === 'device') return { ids: [value], key: `device ${value}` };
  if (kind === 'group') return { group: value };
  if (kind === 'tag') return { tag: value };
  const ids = transferredDevices(value);
  return ids && { ids, key: `selection ${value}` };
}

/** Why the service does not accept a selection of this size as one target. */
function selectionFault(count: number, account: Account): string | undefined {
  if (count <= 1) return undefined;
  if (!offers(account, 'jobs')) return `${NO_SELECTION}.`;
  const { JobDevicesLimit: most = Infinity } = account;
  return count > most ? `One job takes at most ${formatCount(most)} devices: select fewer, or a group.` : undefined;
}

export function useDeployTargets(target: DeployChoice['target']) {
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
    /** Undefined if nothing is chosen, and for a selection of another tab. */
    jobTarget,
    /** The target in words: "camera-7", "group lab". Undefined if nothing is chosen. */
    label: jobTarget && labelOf(),
    /** The name of the group or tag, which may be typed instead of the count to confirm. */
    name,
    /** Undefined while loading, including whether the service accepts a selection. */
    devices: jobTarget && (kind === 'selection' && account.isPending ? undefined : devices),
    /** Why this cannot be a target. */
    fault: kind === 'selection' && account.data ? selectionFault(devices?.length ?? 0, account.data) : undefined,
    /** For a selection: how many of its devices no longer exist. */
    gone: devices && wanted > 0 ? wanted - devices.length : 0,
    at: new Date(query.dataUpdatedAt),
    error: jobTarget ? query.error : null,
    isFetching: query.isFetching,
    refetch: query.refetch as () => unknown,
    /** Accepts these devices as the reviewed members. */
    accept: (next: Device[]) => void client.setQueryData(members.queryKey, next),
  };
}
