// The state of the page's job, counted from its children if the service does not count them.
import { useEffect, useMemo } from 'react';
import type { Job } from '#/contract/jobs.ts';
import { countsOf, isMoving, isParent } from '#/contract/job-state.ts';
import { countChildren, outcomeOf, rememberCounts } from '#/features/jobs/outcome.ts';
import type { VerdictCounts } from '#/features/jobs/verdict.ts';
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
