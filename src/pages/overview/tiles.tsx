// The account in a few figures, each the way to the list that shows the same number.
import { useMemo, type ComponentProps, type ReactNode } from 'react';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { polled } from '#/api/query.ts';
import type { Account } from '#/contract/account.ts';
import type { Job } from '#/contract/jobs.ts';
import { tunnelQueries } from '#/api/tunnels.ts';
import { isPublic } from '#/features/tunnels/tunnel-address.ts';
import { daysLeft, usageFigures, type Figure } from '#/features/usage/usage-history.ts';
import { UsedMeter } from '#/features/usage/used-meter.tsx';
import { useUsageHistory } from '#/features/usage/use-usage-history.ts';
import { queueQueries } from '#/features/job-queue/queues.ts';
import { staleIn } from '#/features/job-queue/stale.ts';
import { useStaleRules } from '#/features/job-queue/use-stale-rules.ts';
import { paths } from '#/paths.ts';
import { counted, devicesText, formatBytes, formatCount } from '#/lib/format.ts';
import { Time, useNow } from '#/ui/controls/time.tsx';
import { useOldSince } from '#/ui/page/away.ts';
import { Link } from '#/ui/url/link.tsx';
import { LATELY, failedLately, runningNow } from './figures.ts';
import classes from './overview-page.module.css';

/** Milliseconds between two looks at the queues, which nobody reads row by row here; very long ones cost enough. */
const OFTEN = 20_000;
const SELDOM = 60_000;
const MANY = 1_000;
/** Share of a limit, and days until it is reached. */
const NEARLY = 0.8;
const SOON = 60;

interface TileProps {
  to: string;
  what: string;
  /** Undefined: not known. */
  figure: number | undefined;
  bad?: boolean;
  /** Why it is not known, or not now. */
  error?: Error | null | undefined;
  /** When it was read, in milliseconds since the epoch. */
  readAt: number;
  /** Below the figure, those that are not false. */
  notes: ReactNode[];
}

function Tile({ to, what, figure, bad = false, error, readAt, notes }: TileProps) {
  const oldSince = useOldSince(readAt);
  const asOf = figure === undefined ? undefined : error ? new Date(readAt) : oldSince;
  return (
    <div className={classes.tile} data-reading={(figure === undefined && !error) || undefined}>
      <Link to={to}>
        <span className="small dim">{what}</span>
        <span className={classes.big} data-bad={bad || undefined}>
          {figure === undefined ? '–' : formatCount(figure)}
        </span>
      </Link>
      {(figure === undefined && error ? [`Could not be read: ${error.message}`] : notes).map(
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

interface JobTilesProps {
  jobs: Job[];
  reading: Pick<UseQueryResult<Job[]>, 'data' | 'error' | 'dataUpdatedAt'>;
}

export function JobTiles({ jobs, reading: { data, error, dataUpdatedAt: readAt } }: JobTilesProps) {
  const known = data !== undefined;
  const failed = failedLately(jobs, useNow()).length;
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
        notes={[]}
      />
    </>
  );
}

export function QueueTile() {
  const { data, error, dataUpdatedAt } = useQuery(
    polled(queueQueries.all(), (queues) => (queues && queues.length > MANY ? SELDOM : OFTEN)),
  );
  const jobs = useMemo(() => data && Array.from(data.values()).flat(), [data]);
  const { rules } = useStaleRules(jobs);
  const stale = useMemo(
    () => Array.from(data?.values() ?? []).filter((queue) => staleIn(queue, rules).size > 0).length,
    [data, rules],
  );
  const waiting = jobs?.filter(({ state }) => state === 'Waiting').length ?? 0;
  return (
    <Tile
      to={paths.queues()}
      what="Devices with queued jobs"
      figure={data?.size}
      error={error}
      readAt={dataUpdatedAt}
      notes={[
        waiting > 0 && counted(waiting, 'job waits', 'jobs wait'),
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
        // Who may use the others is not always reported.
        data &&
          data.length > 0 &&
          data.every(({ Auth }) => Auth?.toLowerCase() === 'basic') &&
          'All ask for a password.',
      ]}
    />
  );
}

/** The navigation shows how many devices there are of how many; here only what needs attention soon. */
const isNearlyUsed = (used: number, limit: number, figures: readonly Figure[]) =>
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
