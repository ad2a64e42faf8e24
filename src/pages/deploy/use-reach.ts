// The devices of a deploy's target, as a list that does not change while it is reviewed.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { devicesText } from '#/lib/format.ts';
import type { Device } from '#/contract/devices.ts';
import { memberQueries } from '#/fleet/members.ts';
import type { JobTarget } from '#/fleet/members.ts';
import { tagQueries } from '#/api/tags.ts';
import { transferredDevices } from '#/features/bulk/device-transfer.ts';
import type { DeployChoice } from './deploy-choice.ts';

export interface Reach {
  kind: DeployChoice['target']['kind'];
  /** Undefined while there is no choice, and for a selection of another tab. */
  jobTarget: JobTarget | undefined;
  /** In words: "camera-7", "group lab". Undefined while there is no choice. */
  label: string | undefined;
  /** What may be typed to confirm instead of the count: the name of a group or tag. */
  name: string | undefined;
  /** Undefined until they are read. */
  devices: Device[] | undefined;
  /** Of a selection: how many are not there any more. */
  gone: number;
  /** When they were read. */
  at: Date;
  error: Error | null;
  isFetching: boolean;
  refetch: () => unknown;
  /** Takes these as the members that were reviewed. */
  accept: (devices: Device[]) => void;
}

const NOBODY: JobTarget = { ids: [], key: '' };

function jobTargetOf({ kind, value }: DeployChoice['target']): JobTarget | undefined {
  if (value === '') return undefined;
  if (kind === 'device') return { ids: [value], key: `device ${value}` };
  if (kind === 'group') return { group: value };
  if (kind === 'tag') return { tag: value };
  const ids = transferredDevices(value);
  return ids && { ids, key: `selection ${value}` };
}

export function useReach(target: DeployChoice['target']): Reach {
  const { kind, value } = target;
  const client = useQueryClient();
  const jobTarget = jobTargetOf(target);
  const members = memberQueries.of(jobTarget ?? NOBODY);
  const { data: devices, ...query } = useQuery({ ...members, enabled: jobTarget !== undefined });
  const tags = useQuery({ ...tagQueries.list(), enabled: kind === 'tag', retry: false });
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
    jobTarget,
    label: jobTarget && labelOf(),
    name,
    devices: jobTarget && devices,
    gone: devices && wanted > 0 ? wanted - devices.length : 0,
    at: new Date(query.dataUpdatedAt),
    error: jobTarget ? query.error : null,
    isFetching: query.isFetching,
    refetch: query.refetch,
    accept: (next) => void client.setQueryData(members.queryKey, next),
  };
}
