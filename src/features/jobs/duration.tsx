// How long a job took, or has been running.
import type { Job } from '#/contract/jobs.ts';
import { formatDuration } from '#/lib/format.ts';
import { useNow } from '#/ui/controls/time.tsx';
import { spanOf } from './job-times.ts';
import { awaitedText } from './job-words.ts';
import { awaitedOffline } from './outcome.ts';

export function Duration({ job }: { job: Job }) {
  const now = useNow();
  const span = spanOf(job, now);
  const why = awaitedOffline(job) > 0 ? awaitedText(awaitedOffline(job)) : undefined;
  return (
    <span className="tabular" title={why}>
      {span === undefined ? <span className="dim">–</span> : formatDuration(span)}
    </span>
  );
}
