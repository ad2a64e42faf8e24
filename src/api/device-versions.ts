// Which version of an artifact runs where. Only asked for where the account says that the service knows it.
import { deviceVersionEndpoints, MOST_VERSIONS } from '#/contract/device-versions.ts';
import { ApiError } from '#/api/api-error.ts';
import { call } from '#/api/call.ts';
import { isOffered } from '#/api/capabilities.ts';
import { query } from '#/api/query.ts';

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
  const { Items, None, Reset, Version } = await call(
    deviceVersionEndpoints.list,
    { query: { artifact, since } },
    { signal },
  );
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
    const page = { artifact, limit: String(MOST_VERSIONS), ...(before && { before }) };
    const { Items, Next, Version } = await call(deviceVersionEndpoints.list, { query: page }, { signal });
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
    query<typeof deviceVersionEndpoints.list, VersionsById>(
      deviceVersionEndpoints.list,
      { query: { artifact } },
      {
        read: async ({ before, signal }) => {
          if (!(await isOffered('versions'))) throw UNKNOWN;
          return (before && (await readChanged(artifact, before, signal))) ?? readAll(artifact, signal);
        },
        structuralSharing: false,
      },
    ),
  ofDevice: (id: string) => query(deviceVersionEndpoints.list, { query: { device_id: id } }),
  /** Of all artifacts. */
  counts: () => query(deviceVersionEndpoints.counts, {}),
};
