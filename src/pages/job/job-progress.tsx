// The progress of a group or tag job: the finished devices, what the others are waiting for, and how long it may take.
import { useEffect, useMemo, useState } from 'react';
import type { Job } from '#/contract/jobs.ts';
import { jobState } from '#/contract/job-state.ts';
import { runChunked } from '#/lib/pace.ts';
import { awaitedText } from '#/features/jobs/job-words.ts';
import { movingIn, totalOf } from '#/features/jobs/outcome.ts';
import type { VerdictCounts } from '#/features/jobs/verdict.ts';
import { OutcomeBar } from '#/features/jobs/outcome-bar.tsx';
import { leftText, timeLeft } from '#/features/jobs/time-left.ts';
import { devicesText, formatCount } from '#/lib/format.ts';
import { useNow } from '#/ui/controls/time.tsx';
import classes from './job-page.module.css';

interface JobProgressProps {
  job: Job;
  outcome: VerdictCounts;
  /** The children read so far. */
  rows: readonly Job[];
}

/** Whether a child is waiting for a device that the service reports as offline. */
const isAway = (child: Job) => jobState(child) === 'Waiting' && child.Status?.toLowerCase() === 'device_offline';

/** Milliseconds left, recalculated as time passes; undefined if unknown. */
function useTimeLeft(rows: readonly Job[], away: number): number | undefined {
  const now = useNow();
  const [left, setLeft] = useState<number>();
  useEffect(() => {
    let live = true;
    void runChunked(timeLeft(rows, now, away)).then((found) => {
      if (live) setLeft(found);
    });
    return () => {
      live = false;
    };
  }, [rows, now, away]);
  return left;
}

export function JobProgress({ job, outcome, rows }: JobProgressProps) {
  const { WaitingOffline } = job;
  const away = useMemo(() => WaitingOffline ?? rows.filter(isAway).length, [WaitingOffline, rows]);
  const left = useTimeLeft(rows, away);
  const total = totalOf(outcome);
  if (total === 0) return null;
  const done = total - movingIn(outcome);
  const going = total - done - away;
  const parts = [
    ...(away > 0 ? [awaitedText(away)] : []),
    ...(left !== undefined && going > 0 ? [`${leftText(left)} left for the other ${formatCount(going)}`] : []),
  ];
  return (
    <section className={classes.progress} aria-label="Progress">
      <p>
        <strong>
          {done === total ? `Done on ${devicesText(total)}` : `${formatCount(done)} of ${devicesText(total)} done`}
        </strong>
        {parts.length > 0 && <span className="dim tabular"> · {parts.join(' · ')}</span>}
      </p>
      <OutcomeBar outcome={outcome} />
    </section>
  );
}
