// What of the fleet the service is asked for on demand: its code loads after the first render.
import { useMemo, useSyncExternalStore } from 'react';
import type { openAskedFilter } from '#/fleet/asked-filter.ts';
import type { RowFilter } from '#/fleet/filter.ts';
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import type { Answered, OpenQueries } from '#/fleet/open-queries.ts';
import type { openVersions, VersionFields } from '#/fleet/versions.ts';
import { usePreload } from '#/ui/late/use-preload.ts';

/** What the field of a device begins with that has its version of an artifact. */
export const VERSION_OF = 'Version of ';

let late: { openAskedFilter: typeof openAskedFilter; openVersions: typeof openVersions } | undefined;
const load = async () => {
  late = { ...(await import('#/fleet/asked-filter.ts')), ...(await import('#/fleet/versions.ts')) };
};

const nothing = () => undefined;
const noSubscription = () => nothing;

const useOpened = <Value>(opened: OpenQueries<Value> | undefined): Answered<Value> | undefined =>
  useSyncExternalStore<Answered<Value> | undefined>(opened?.subscribe ?? noSubscription, opened?.get ?? nothing);

const versionsOf = (fields: string) => late?.openVersions(fields.split('\n'), VERSION_OF);
const askedOf = (filter: RowFilter, byTag: boolean) => late?.openAskedFilter(filter, byTag);

/** `fields`: one a line. Undefined while its code is not there. */
export function useVersions(fields: string): VersionFields | undefined {
  const isWanted = fields !== '';
  const isHere = usePreload(load, isWanted);
  const opened = useMemo(() => (isHere && isWanted ? versionsOf(fields) : undefined), [isHere, isWanted, fields]);
  return useOpened(opened)?.value;
}

const WAITING = { value: undefined, error: null, isFetching: true, refetch: nothing };

/**
 * A filter as the fleet in memory answers it; undefined while that is not known. The caller keeps `filter` the same
 * object while it says the same.
 */
export function useAskedFilter(index: FleetIndex | undefined, filter: RowFilter): Answered<RowFilter | undefined> {
  const byTag = index !== undefined && filter.tag !== undefined && !index.includesTags;
  const isAsked = byTag || filter.runs !== undefined;
  const isHere = usePreload(load, isAsked);
  const answered = useOpened(
    useMemo(() => (isHere && isAsked ? askedOf(filter, byTag) : undefined), [isHere, isAsked, filter, byTag]),
  );
  if (isAsked) return answered ?? WAITING;
  return { value: filter, error: null, isFetching: false, refetch: nothing };
}
