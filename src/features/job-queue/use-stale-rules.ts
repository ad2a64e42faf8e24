// The current data by which waiting jobs count as stale.
import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { polled, query } from '#/api/query.ts';
import { artifactQueries } from '#/api/artifacts.ts';
import { call } from '#/api/call.ts';
import { artifactEndpoints } from '#/contract/artifacts.ts';
import { useNow } from '#/ui/controls/time.tsx';
import { stored } from '#/lib/stored.ts';
import { useStore } from '#/ui/state/use-store.ts';
import { useDeferredQuery } from '#/ui/use-deferred-query.ts';
import { versionsOf, type StaleRules } from './stale.ts';

const USUAL = 7;
export const MOST_DAYS = 365;

/** After how many days a waiting job counts as stale; a setting of this browser and account. */
export const staleDays = stored('muster-stale-days', USUAL, {
  read: (text) => {
    const days = /^\d{1,3}$/.test(text) ? Number(text) : 0;
    return days >= 1 && days <= MOST_DAYS ? days : USUAL;
  },
  print: String,
});

const MINUTE = 60_000;
const NONE: readonly string[] = [];

/**
 * Which of these artifacts no longer exist. Only a list read after the jobs is proof: an older one lacks later uploads.
 */
const missing = (ids: readonly string[]) =>
  query<typeof artifactEndpoints.list, string[]>(
    artifactEndpoints.list,
    {},
    {
      part: `missing ${ids.join(' ')}`,
      read: async ({ signal }) => {
        const there = new Set((await call(artifactEndpoints.list, {}, { signal })).map(({ ArtifactId }) => ArtifactId));
        return ids.filter((id) => !there.has(id));
      },
      // Deleted artifacts stay deleted, and other ids make another query.
      isSnapshot: true,
      keepPrevious: true,
    },
  );

/** `jobs`: the jobs to judge; undefined while they are loading. */
export function useStaleRules(jobs: Iterable<{ ArtifactId?: string | undefined }> | undefined) {
  const days = useStore(staleDays);
  const now = Math.floor(useNow().getTime() / MINUTE) * MINUTE;
  const { artifacts, versions } = useVersions(jobs !== undefined);
  const unknown = useMemo(() => {
    const ids = new Set<string>();
    for (const { ArtifactId } of jobs ?? []) if (ArtifactId && !versions.has(ArtifactId)) ids.add(ArtifactId);
    return artifacts.data ? [...ids].sort() : NONE;
  }, [jobs, versions, artifacts.data]);
  const gone = useQuery({ ...missing(unknown), enabled: unknown.length > 0 });
  const rules = useMemo(
    (): StaleRules => ({ now, days, versions, deleted: new Set(gone.data) }),
    [now, days, versions, gone.data],
  );
  const known = unknown.length === 0 || (!gone.isPlaceholderData && !gone.isPending) || gone.error !== null;
  return {
    rules,
    /** Whether everything is loaded, so that a job not marked as stale is not stale. */
    settled: jobs !== undefined && (artifacts.data !== undefined || artifacts.error !== null) && known,
    /** The artifacts could not be read, so only age counts. */
    error: artifacts.data ? gone.error : artifacts.error,
  };
}

function useVersions(isWanted: boolean) {
  const reading = useQuery({ ...polled(artifactQueries.list(), MINUTE), enabled: isWanted });
  const artifacts = useDeferredQuery(reading);
  return { artifacts, versions: useMemo(() => versionsOf(artifacts.data ?? []), [artifacts.data]) };
}
