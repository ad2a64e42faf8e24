// One line for a page about other things: how many devices have stale jobs before them, and the way there.
import { useMemo } from 'react';
import { Link } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import { paths } from '#/paths.ts';
import { formatCount } from '#/ui/format.ts';
import { queueQueries } from './queue.ts';
import { staleIn } from './stale.ts';
import { useStaleRules } from './use-stale-rules.ts';

/** Nobody looks at the queues here: they are read as a matter of form, in milliseconds. */
const SELDOM = 60_000;

export function StaleNote() {
  const { data } = useQuery({ ...queueQueries.all(), refetchInterval: SELDOM, staleTime: SELDOM });
  const jobs = useMemo(() => data && Array.from(data.values()).flat(), [data]);
  const { rules } = useStaleRules(jobs);
  const devices = useMemo(
    () => Array.from(data ?? []).filter(([id, queue]) => id !== '' && staleIn(queue, rules).size > 0).length,
    [data, rules],
  );
  if (devices === 0) return null;
  return (
    <Link to={paths.queues({ stale: 'any' })}>
      {devices === 1 ? '1 device has stale jobs' : `${formatCount(devices)} devices have stale jobs`}
    </Link>
  );
}
