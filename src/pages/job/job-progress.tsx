// How far a group or tag job is: the devices that are done, what the rest waits for, and how long it may take.
import { useEffect, useMemo, useState } from 'react';
import type { Job } from '#/contract/jobs.ts';
import { jobState } from '#/contract/job-state.ts';
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import { inTurns } from '#/lib/pace.ts';
import { awaitedText } from '#/features/jobs/job-words.ts';
import { movingIn, totalOf } from '#/features/jobs/outcome.ts';
import type { VerdictCounts } from '#/features/jobs/verdict.ts';
import { OutcomeBar } from '#/features/jobs/outcome-bar.tsx';
import { leftText, timeLeft } from '#/features/jobs/time-left.ts';
import { offlineIn } from '#/features/job-queue/use-awaited.ts';
import { devicesText, formatCount } from '#/lib/format.ts';
import { useNow } from '#/ui/controls/time.tsx';
import classes from './job-page.module.css';

interface JobProgressProps {
  job: Job;
  outcome: VerdictCounts;
  /** As far as they have been read. */
  rows: readonly Job[];
  /** Shows which devices are away where the service does not report it, and the fleet is known. */
  fleet: FleetIndex | undefined;
}

const isWaiting = (child: Job) => jobState(child) === 'Waiting';

/** Milliseconds, calculated again as time passes; undefined where they are unknown. */
function useTimeLeft(rows: readonly Job[], away: number): number | undefined {
  const now = useNow();
  const [left, setLeft] = useState<number>();
  useEffect(() => {
    let live = true;
    void inTurns(timeLeft(rows, now, away)).then((found) => {
      if (live) setLeft(found);
    });
    return () => {
      live = false;
    };
  }, [rows, now, away]);
  return left;
}

export function JobProgress({ job, outcome, rows, fleet }: JobProgressProps) {
  const { WaitingOffline } = job;
  const away = useMemo(() => {
    if (WaitingOffline !== undefined) return WaitingOffline;
    const isOffline = fleet && offlineIn(fleet);
    const isAway = ({ DeviceId, Status }: Job) =>
      fleet?.rowOf(DeviceId) === undefined
        ? Status?.toLowerCase() === 'device_offline'
        : isOffline?.(DeviceId) === true;
    return rows.filter((child) => isWaiting(child) && isAway(child)).length;
  }, [WaitingOffline, rows, fleet]);
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
