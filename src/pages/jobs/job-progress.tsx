// How far a group or tag job is: the devices that are done, what the rest waits for, and how long it may take.
import type { Job } from '#/contract/jobs.ts';
import { jobState } from '#/api/jobs.ts';
import type { FleetIndex } from '#/api/fleet/fleet-index.ts';
import { devicesText } from '#/jobs/job-words.ts';
import { movingIn, totalOf } from '#/jobs/outcome.ts';
import type { Outcome } from '#/jobs/outcome.ts';
import { OutcomeBar } from '#/jobs/outcome-bar.tsx';
import { leftText, timeLeft } from '#/jobs/time-left.ts';
import { formatCount } from '#/ui/format.ts';
import { useNow } from '#/ui/time.tsx';
import classes from './job-page.module.css';

interface JobProgressProps {
  outcome: Outcome;
  /** As far as they have been read. */
  rows: readonly Job[];
  /** Tells which devices are away, where it is there. */
  fleet: FleetIndex | undefined;
}

export function JobProgress({ outcome, rows, fleet }: JobProgressProps) {
  const now = useNow();
  const total = totalOf(outcome);
  if (total === 0) return null;
  const done = total - movingIn(outcome);
  const isAway = ({ DeviceId, Status }: Job) => {
    const row = fleet?.rowOf(DeviceId);
    if (fleet && row !== undefined) return fleet.device(row).DeviceStatus === 'Offline';
    return Status?.toLowerCase() === 'device_offline';
  };
  const away = rows.filter((child) => jobState(child) === 'Waiting' && isAway(child)).length;
  const left = timeLeft(rows, now, isAway);
  const going = total - done - away;
  const parts = [
    ...(away > 0
      ? [
          `${formatCount(away)} ${away === 1 ? 'waits for its device' : 'wait for their devices'}, which ${away === 1 ? 'is' : 'are'} offline`,
        ]
      : []),
    ...(left !== undefined ? [`${leftText(left)} left for the other ${formatCount(going)}`] : []),
  ];
  return (
    <section className={classes['progress']} aria-label="Progress">
      <p>
        <strong>
          {done === total ? `Done on ${devicesText(total)}` : `${formatCount(done)} of ${devicesText(total)} done`}
        </strong>
        {parts.length > 0 && <span className="dim tabular"> · {parts.join(' · ')}</span>}
      </p>
      <OutcomeBar outcome={outcome} wide />
    </section>
  );
}
