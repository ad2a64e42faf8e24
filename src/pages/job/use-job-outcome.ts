// The state of a page's job where its own row is incomplete: by its children, and by the fleet.
import { useEffect, useMemo } from 'react';
import type { Job } from '#/contract/jobs.ts';
import { countsOf, isMoving, isParent, jobState } from '#/contract/job-state.ts';
import { useSmallFleet } from '#/features/late-fleet/use-late-fleet.ts';
import { countChildren, outcomeOf, rememberCounts, withAwaited } from '#/features/jobs/outcome.ts';
import type { VerdictCounts } from '#/features/jobs/verdict.ts';
import { isUnreported, offlineIn } from '#/features/job-queue/use-awaited.ts';
import { useChildRows } from './children/use-child-rows.ts';

/** The counts of a parent: the service's own, or its children counted. */
export function useOutcome(job: Job): VerdictCounts | undefined {
  const given = outcomeOf(job);
  const parent = isParent(job);
  const isCounted = countsOf(job) !== undefined;
  const { rows: children } = useChildRows(job.JobId, parent && !isCounted);
  const own = useMemo(() => (isCounted ? undefined : countChildren(children)), [children, isCounted]);
  const isFinal = parent && own !== undefined && children.length > 0 && !children.some(isMoving);
  useEffect(() => {
    if (isFinal) rememberCounts(job.JobId, own);
  }, [isFinal, job.JobId, own]);
  return parent ? (isCounted ? given : own) : undefined;
}

/** The job with what its service may not report: whether its rest waits for nothing but devices that are Offline. */
export function useAwaitedHere(job: Job): Job {
  const isWanted = isUnreported(job);
  const fleet = useSmallFleet(isWanted);
  const { rows: children, query } = useChildRows(job.JobId, isWanted);
  const isRead = query.data !== undefined;
  return useMemo(() => {
    if (!isWanted || !fleet || !isRead) return job;
    const rest = children.filter(isMoving).map((child) => ({ DeviceId: child.DeviceId, state: jobState(child) }));
    return withAwaited(job, rest, offlineIn(fleet));
  }, [job, isWanted, fleet, isRead, children]);
}
