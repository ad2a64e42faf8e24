// The queues of all devices, and how many of them hold stale jobs.
import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { polled } from '#/api/query.ts';
import { queueQueries } from '#/features/job-queue/queues.ts';
import { staleIn } from '#/features/job-queue/stale.ts';
import { useStaleRules } from '#/features/job-queue/use-stale-rules.ts';

/** Milliseconds between two readings of the queues, which are expensive for a large fleet. */
const OFTEN = 20_000;
const SELDOM = 60_000;
const MANY = 1_000;

export function useStaleQueues(isOffered: boolean) {
  const queues = useQuery({
    ...polled(queueQueries.all(), (known) => (known && known.length > MANY ? SELDOM : OFTEN)),
    enabled: isOffered,
  });
  const { data } = queues;
  const jobs = useMemo(() => data && Array.from(data.values()).flat(), [data]);
  const { rules } = useStaleRules(jobs);
  const stale = useMemo(
    () => data && Array.from(data.values()).filter((queue) => staleIn(queue, rules).size > 0).length,
    [data, rules],
  );
  return { ...queues, jobs, stale };
}
