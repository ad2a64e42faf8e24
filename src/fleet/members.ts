// The current devices of a group or tag: the targets of a deploy.
import { deviceEndpoints, type Device } from '#/contract/devices.ts';
import { readMatching } from '#/api/matches.ts';
import { query } from '#/api/query.ts';
import { readSelected } from './selected.ts';

/** The target of a job: these devices, or all of a group or with a tag. `key` replaces the ids, which may be many. */
export type JobTarget = { ids: readonly string[]; key: string } | { group: string } | { tag: string };

/** A service may match a part of a group's name, or a tag's name instead of its id: the rows decide. */
const isMember = ({ DeviceGroup, Tags }: Device, jobTarget: { group: string } | { tag: string }): boolean =>
  'group' in jobTarget
    ? DeviceGroup === jobTarget.group
    : Tags === undefined || Tags.some(({ TagId }) => TagId === jobTarget.tag);

/** The devices as they are now. */
export async function readMembers(
  jobTarget: JobTarget,
  signal: AbortSignal,
  onProgress?: (found: number) => void,
): Promise<Device[]> {
  if ('ids' in jobTarget) return readSelected(jobTarget.ids, signal, onProgress);
  const filter = 'group' in jobTarget ? { device_group: jobTarget.group } : { device_tag: jobTarget.tag };
  return (await readMatching(filter, signal)).filter((device) => isMember(device, jobTarget));
}

export const memberQueries = {
  /** A review does not change by itself: only a request of the user reads another list. */
  of: (jobTarget: JobTarget, onProgress?: (found: number) => void) =>
    query<typeof deviceEndpoints.filter, Device[]>(
      deviceEndpoints.filter,
      { params: { page_num: 1, rows_per_page: 1 }, query: {} },
      {
        part: `members ${JSON.stringify('ids' in jobTarget ? jobTarget.key : jobTarget)}`,
        read: ({ signal }) => readMembers(jobTarget, signal, onProgress),
        isSnapshot: true,
        poll: false,
        gcTime: 0,
      },
    ),
};
