// How long a job took, or has been running by now.
import type { Job } from '#/contract/jobs.ts';
import { formatDuration } from '#/ui/format.ts';
import { useNow } from '#/ui/time.tsx';
import { durationOf, timesOf } from './job-times.ts';

export function Duration({ job }: { job: Job }) {
  const now = useNow();
  const span = durationOf(timesOf(job), now);
  return <span className="tabular">{span === undefined ? <span className="dim">–</span> : formatDuration(span)}</span>;
}
