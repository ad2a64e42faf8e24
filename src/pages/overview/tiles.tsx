// Figures of the account, each a link to a list that shows the same number.
import { useMemo, type ComponentProps, type ReactNode } from 'react';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { Account } from '#/contract/account.ts';
import type { HistorySeries } from '#/contract/history.ts';
import type { Job } from '#/contract/jobs.ts';
import { tunnelQueries } from '#/api/tunnels.ts';
import { isPublic } from '#/features/tunnels/tunnel-address.ts';
import { daysLeft, usageFigures, type Figure } from '#/features/usage/usage-history.ts';
import { UsedMeter, useUsageHistory } from '#/features/usage/used-meter.tsx';
import { changeText } from '#/lib/change-text.ts';
import { paths } from '#/paths.ts';
import { counted, devicesText, formatBytes, formatCount } from '#/lib/format.ts';
import { useLook } from '#/ui/controls/look.ts';
import { Sparkline } from '#/ui/controls/sparkline.tsx';
import { Time, useNow } from '#/ui/controls/time.tsx';
import { useOldSince } from '#/ui/page/away.ts';
import { Link } from '#/ui/url/link.tsx';
import { LATELY, failedLately, runningNow } from './figures.ts';
import { jobDays, jobsOfDays } from './series.ts';
import type { useStaleQueues } from './use-stale-queues.ts';
import classes from './overview-page.module.css';

/** A limit is nearly reached from this share of it, or if it will be reached within this many days. */
const NEARLY = 0.8;
const SOON = 60;

interface TileProps {
  to: string;
  what: string;
  /** Undefined if it is not known. */
  figure: number | undefined;
  bad?: boolean;
  /** Why the figure could not be read or refreshed. */
  error?: Error | null | undefined;
  /** When it was read, in milliseconds since the epoch. */
  readAt: number;
  /** Lines below the figure; falsy ones are left out. */
  notes: ReactNode[];
  /** Its course, beside it. */
  course?: ReactNode;
}

function Tile({ to, what, figure, bad = false, error, readAt, notes, course }: TileProps) {
  const oldSince = useOldSince(readAt, Boolean(error));
  const asOf = figure === undefined ? undefined : oldSince;
  return (
    <div className={classes.tile} data-reading={(figure === undefined && !error) || undefined}>
      <Link to={to}>
        <span className="small dim">{what}</span>
        <span className={classes.big} data-bad={bad || undefined}>
          {figure === undefined ? '–' : formatCount(figure)}
        </span>
      </Link>
      {course && <div className={classes.course}>{course}</div>}
      {(figure === undefined && error ? [`Could not be loaded: ${error.message}`] : notes).map(
        (note, index) =>
          note && (
            <p key={index} className={classes.note}>
              {note}
            </p>
          ),
      )}
      {asOf && (
        <p className={classes.note}>
          As of <Time at={asOf} />
        </p>
      )}
    </div>
  );
}

/** Days of the course of the failures. */
const COURSE_DAYS = 14;
const HOUR_MS = 3_600_000;

interface JobTilesProps {
  /** The last 14 days, once they are read. */
  history: HistorySeries | undefined;
  /** Where it begins, if it does not reach back so far. */
  since: number | undefined;
  jobs: Job[];
  reading: Pick<UseQueryResult<Job[]>, 'data' | 'error' | 'dataUpdatedAt'>;
}

export function JobTiles({ history, since, jobs, reading: { data, error, dataUpdatedAt: readAt } }: JobTilesProps) {
  const known = data !== undefined;
  const now = useNow();
  const { zone } = useLook();
  const failed = failedLately(jobs, now).length;
  const today = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS;
  const course = useMemo(
    () => history && jobDays(history, { now: today, zone, days: COURSE_DAYS, since }),
    [history, zone, today, since],
  );
  const failures = history && jobsOfDays(history, { now: now.getTime(), since, of: ({ Failed }) => Failed });
  const moving = runningNow(jobs);
  const parents = moving.filter(({ job }) => job.Counts).length;
  return (
    <>
      <Tile
        to={paths.jobs({ state: 'moving' })}
        what="Running jobs"
        figure={known ? moving.length : undefined}
        error={error}
        readAt={readAt}
        notes={[parents > 0 && `${formatCount(parents)} to ${parents === 1 ? 'a group or tag' : 'groups or tags'}`]}
      />
      <Tile
        to={paths.jobs({ state: 'bad', within: String(LATELY) })}
        what="Failed jobs, last 24 h"
        figure={known ? failed : undefined}
        error={error}
        readAt={readAt}
        bad={failed > 0}
        notes={[
          failures?.before !== undefined &&
            failures.last + failures.before > 0 &&
            `On devices ${changeText(failures.last, failures.before, formatCount)}`,
        ]}
        course={
          course &&
          course.x.length > 1 &&
          course.failed.some((count) => count > 0) && (
            <Sparkline
              points={course.x.map((at, index) => ({ at, value: course.failed[index] ?? 0 }))}
              label={`Failures on devices per day, from ${formatCount(course.failed[0] ?? 0)} to ${formatCount(course.failed.at(-1) ?? 0)} in ${course.x.length} days`}
            />
          )
        }
      />
    </>
  );
}

export function QueueTile({ queues }: { queues: ReturnType<typeof useStaleQueues> }) {
  const { data, jobs, stale = 0, error, dataUpdatedAt } = queues;
  const waiting = jobs?.filter(({ state }) => state === 'Waiting').length ?? 0;
  return (
    <Tile
      to={paths.queues()}
      what="Devices with queued jobs"
      figure={data?.size}
      error={error}
      readAt={dataUpdatedAt}
      notes={[
        waiting > 0 && `${counted(waiting, 'job')} waiting`,
        stale > 0 && (
          <Link key="stale" to={paths.queues({ stale: 'any' })}>
            {devicesText(stale)} with stale jobs
          </Link>
        ),
      ]}
    />
  );
}

export function TunnelTile() {
  const { data, error, dataUpdatedAt } = useQuery(tunnelQueries.list());
  const open = data?.filter(isPublic).length ?? 0;
  return (
    <Tile
      to={paths.tunnels()}
      what="Open tunnels"
      figure={data?.length}
      error={error}
      readAt={dataUpdatedAt}
      notes={[
        open > 0 && (
          <Link key="public" to={paths.tunnels({ exposure: 'public' })}>
            {formatCount(open)} public, no sign-in
          </Link>
        ),
        // A TCP tunnel has no sign-in of its own.
        data &&
          data.length > 0 &&
          data.every(({ Auth }) => Auth?.toLowerCase() === 'basic') &&
          'All require a password.',
      ]}
    />
  );
}

/** The navigation always shows the number of devices and its limit. The overview repeats it only if the limit is near. */
export const isNearlyUsed = (used: number, limit: number, figures: readonly Figure[]) =>
  used >= limit * NEARLY || (daysLeft(figures, limit) ?? Infinity) <= SOON;

export function UsageTiles({ account }: { account: Account }) {
  const history = useUsageHistory(account);
  const devices = usageFigures(history, 'Devices');
  const { NumDevicesAdded, PlanMaxDeviceLimit, ArtifactBytesUsed, ArtifactBytesLimit } = account;
  return (
    <>
      {isNearlyUsed(NumDevicesAdded, PlanMaxDeviceLimit, devices) && (
        <UsedTile
          to={paths.devices()}
          label="Devices"
          used={NumDevicesAdded}
          limit={PlanMaxDeviceLimit}
          format={formatCount}
          figures={devices}
        />
      )}
      {ArtifactBytesUsed !== undefined && ArtifactBytesLimit !== undefined && (
        <UsedTile
          to={paths.artifacts()}
          label="Artifact storage"
          used={ArtifactBytesUsed}
          limit={ArtifactBytesLimit}
          format={formatBytes}
          figures={usageFigures(history, 'ArtifactBytes')}
        />
      )}
    </>
  );
}

const UsedTile = ({ to, ...used }: { to: string } & ComponentProps<typeof UsedMeter>) => (
  <div className={classes.tile} data-wide>
    <Link to={to}>
      <UsedMeter {...used} />
    </Link>
  </div>
);
