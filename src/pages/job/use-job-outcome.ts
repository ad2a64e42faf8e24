// The state of a page's job where its own row is incomplete: by its children, and by the fleet.
import { useEffect, useMemo } from 'react';
import type { Job } from '#/contract/jobs.ts';
import { countsOf, isMoving, isParent, jobState } from '#/api/job-state.ts';
import { useSmallFleet } from '#/features/late-fleet/use-late-fleet.ts';
import { byAttempt } from '#/features/jobs/attempts.ts';
import { countChildren, rememberCounts, withAwaited } from '#/features/jobs/outcome.ts';
import type { VerdictCounts } from '#/features/jobs/verdict.ts';
import { useRules } from '#/features/outcome-rules/use-rules.ts';
import { isUnreported, offlineIn } from '#/features/job-queue/use-awaited.ts';
import { useVerdicts } from '#/features/outcome-rules/use-verdicts.ts';
import { useChildRows, useWantedOutputs } from './children/use-child-rows.ts';

const NONE: Job[] = [];
const NOTHING: VerdictCounts = {};

/** The counts of a parent: the service's own, or its children counted; by the rules of its artifact where it has some. */
export function useOutcome(job: Job): VerdictCounts | undefined {
  const given = countsOf(job);
  const parent = isParent(job);
  const ruled = useRules()(job) !== undefined;
  const { rows: children, outputs } = useChildRows(job.JobId, parent && (!given || ruled));
  const isCounted = given !== undefined;
  const { rows, plain } = useMemo(
    () => ({
      rows: ruled ? byAttempt(children).last : NONE,
      plain: isCounted ? undefined : countChildren(children),
    }),
    [ruled, children, isCounted],
  );
  useWantedOutputs(outputs, rows, true);
  const verdicts = useVerdicts(rows, job);
  const counted = rows.length > 0 ? verdicts.counts : (given ?? plain ?? NOTHING);
  const isFinal = parent && !isCounted && children.length > 0 && !children.some(isMoving);
  useEffect(() => {
    if (isFinal) rememberCounts(job.JobId, counted);
  }, [isFinal, job.JobId, counted]);
  return parent ? counted : undefined;
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
