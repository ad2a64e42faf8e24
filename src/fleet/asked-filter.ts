// A filter with what the fleet in memory does not tell, for which the service is asked: who has a tag, where it lists
// devices without their tags, and who runs a version.
import { QueryObserver, type QueryKey, type QueryObserverOptions } from '@tanstack/react-query';
import { ApiError } from '#/api/api-error.ts';
import { deviceVersionQueries, type VersionsById } from '#/api/device-versions.ts';
import { taggedQuery } from '#/api/matches.ts';
import { query } from '#/api/query.ts';
import { deviceEndpoints } from '#/contract/devices.ts';
import { queryClient } from '#/api/query-client.ts';
import type { RowFilter, RunsFilter } from './filter.ts';
import { openQueries, type OpenQueries } from './open-queries.ts';

/** Nobody can be asked for devices without a tag. */
const UNTAGGED = new ApiError('unexpected', 'devices without a tag are not known here', {
  detail: 'This service lists devices without their tags, and finds them only by a tag that they have.',
});
const untagged = query<typeof deviceEndpoints.filter, ReadonlySet<string>>(
  deviceEndpoints.filter,
  { params: { page_num: 1, rows_per_page: 1 }, query: {} },
  { part: 'untagged', read: () => Promise.reject(UNTAGGED), poll: false, retry: false },
);

const passing = ({ version, other, none }: RunsFilter, versions: VersionsById): NonNullable<RowFilter['running']> => ({
  has: (id) => {
    const now = versions.get(id);
    if (none) return now === undefined;
    return now !== undefined && (version === undefined || now === version) && (other === undefined || now !== other);
  },
});

const observed = <Of extends QueryKey, Data>(options: QueryObserverOptions<Data, Error, Data, Data, Of>) =>
  new QueryObserver(queryClient, options);

/** `byTag`: its tags are asked for. Undefined while the answer is not known. */
export function openAskedFilter(filter: RowFilter, byTag: boolean): OpenQueries<RowFilter | undefined> {
  const { tag = [], runs } = filter;
  const observers = [
    ...(byTag ? [tag.includes('') ? observed(untagged) : observed(taggedQuery(tag))] : []),
    ...(runs ? [observed(deviceVersionQueries.ofArtifact(runs.artifact))] : []),
  ];
  return openQueries(observers, (data) => {
    if (data.includes(undefined)) return undefined;
    const tagged = byTag ? (data[0] as ReadonlySet<string>) : undefined;
    return {
      ...filter,
      ...(tagged && { tagged }),
      ...(runs && { running: passing(runs, data.at(-1) as VersionsById) }),
    };
  });
}
