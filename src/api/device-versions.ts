// Which version of an artifact runs where. Requested only where the account lists the capability.
import { deviceVersionEndpoints, MOST_VERSIONS } from '#/contract/device-versions.ts';
import { ApiError } from '#/api/api-error.ts';
import { call } from '#/api/call.ts';
import { isOffered } from '#/api/capabilities.ts';
import { query } from '#/api/query.ts';

const UNKNOWN = new ApiError('unexpected', 'Which version runs where is not known here', {
  detail: 'This service does not record it. Remove the filter by version.',
});

/** Each device's version of an artifact, by DeviceId. */
export type VersionsById = ReadonlyMap<string, string>;

/** The data version at which each map was read. */
const readAt = new WeakMap<VersionsById, string>();

/** The changes since `before`; undefined if everything has to be read again. */
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
    // Keep the first page's version: the next read then includes changes made while the pages were read.
    first ||= Version;
    for (const { DeviceId, Version: now } of Items) versions.set(DeviceId, now);
    before = Next;
    if (!before) break;
  }
  readAt.set(versions, first);
  return versions;
}

export const deviceVersionQueries = {
  /** Returns the same map object while nothing changes. */
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
  /** Devices per version, for all artifacts. */
  counts: () => query(deviceVersionEndpoints.counts, {}),
};
