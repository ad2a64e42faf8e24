// From a job to what was done again of it, and back: the names tell, since the list of jobs has no other field for it.
import { Link } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import type { Job } from '#/contract/jobs.ts';
import { jobQueries } from '#/api/jobs.ts';
import { isRetry, isSameOrder, retriesOf } from '#/features/jobs/retry-name.ts';
import { paths } from '#/paths.ts';
import { formatCount } from '#/lib/format.ts';
import classes from './job-page.module.css';

export function RetryLinks({ job: { JobId, JobName, ParentJobId } }: { job: Job }) {
  // A page's own list of jobs is read anew after each retry; that is when it matters.
  const list = useQuery({ ...jobQueries.list(), refetchInterval: false, staleTime: 60_000 });
  const same = list.data?.filter((each) => each.JobId !== JobId && isSameOrder(each.JobName, JobName)) ?? [];
  const retries = same.filter((each) => isRetry(each.JobName));
  const first = isRetry(JobName) && !ParentJobId ? same.find((each) => !isRetry(each.JobName)) : undefined;
  if (retries.length === 0 && !first) return null;
  return (
    <p className={classes.links}>
      {first && (
        <span>
          Retry of <Link to={paths.job(first.JobId)}>{first.JobName}</Link>
        </span>
      )}
      {retries.length > 0 && (
        <Link to={paths.jobs({ name: retriesOf(JobName) })}>
          {retries.length === 1 ? '1 retry' : `${formatCount(retries.length)} retries`}
          {first && ' beside this one'}
        </Link>
      )}
    </p>
  );
}
