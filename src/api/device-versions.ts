// Which version of an artifact runs where. Only asked for where the account says that the service knows it.
import { queryOptions } from '@tanstack/react-query';
import { deviceVersionEndpoints, MOST_VERSIONS } from '#/contract/device-versions.ts';
import { ApiError } from '#/api/api-error.ts';
import { call } from '#/api/call.ts';
import { isOffered } from '#/api/capabilities.ts';
import { livePace } from '#/api/live.ts';

const EVERY = 30_000;
const UNKNOWN = new ApiError('unexpected', 'Which version runs where is not known here', {
  detail: 'This service does not record it. Remove the filter by version.',
});

/** The version that each device has of an artifact, by DeviceId. */
export type VersionsById = ReadonlyMap<string, string>;

/** The version of the service's data that a reading is of. */
const readAt = new WeakMap<VersionsById, string>();

/** What changed since the reading before; undefined if everything has to be read. */
async function readChanged(artifact: string, before: VersionsById, signal: AbortSignal) {
  const since = readAt.get(before);
  if (since === undefined) return undefined;
  const query = { artifact, since };
  const { Items, None, Reset, Version } = await call(deviceVersionEndpoints.list, { query }, { signal });
  if (Reset) return undefined;
  const isOther = Items.some(({ DeviceId, Version: now }) => before.get(DeviceId) !== now);
  const versions = isOther || None.some((id) => before.has(id)) ? new Map(before) : before;
  if (versions instanceof Map && versions !== before) {
    for (const { DeviceId, Version: now } of Items) versions.set(DeviceId, now);
    for (const id of None) versions.delete(id);
  }
  readAt.set(versions, Version);
  return versions;
}

async function readAll(artifact: string, signal: AbortSignal): Promise<VersionsById> {
  const versions = new Map<string, string>();
  let first = '';
  for (let before = ''; ;) {
    const query = { artifact, limit: String(MOST_VERSIONS), ...(before && { before }) };
    const { Items, Next, Version } = await call(deviceVersionEndpoints.list, { query }, { signal });
    // What changes meanwhile is then in the next reading.
    first ||= Version;
    for (const { DeviceId, Version: now } of Items) versions.set(DeviceId, now);
    before = Next;
    if (!before) break;
  }
  readAt.set(versions, first);
  return versions;
}

export const deviceVersionQueries = {
  /** The same map while nothing changes. */
  ofArtifact: (artifact: string) =>
    queryOptions({
      queryKey: ['versions', 'artifact', artifact],
      queryFn: async ({ client, queryKey, signal }): Promise<VersionsById> => {
        if (!(await isOffered('versions'))) throw UNKNOWN;
        const before = client.getQueryData<VersionsById>(queryKey);
        return (before && (await readChanged(artifact, before, signal))) ?? readAll(artifact, signal);
      },
      structuralSharing: false,
      refetchInterval: livePace(EVERY),
    }),
  ofDevice: (id: string) =>
    queryOptions({
      queryKey: ['versions', 'device', id],
      queryFn: async ({ signal }) =>
        (await call(deviceVersionEndpoints.list, { query: { device_id: id } }, { signal })).Items,
      refetchInterval: livePace(EVERY),
    }),
  /** Of all artifacts. */
  counts: () =>
    queryOptions({
      queryKey: ['versions', 'counts'],
      queryFn: ({ signal }) => call(deviceVersionEndpoints.counts, {}, { signal }),
      refetchInterval: livePace(EVERY),
    }),
};
