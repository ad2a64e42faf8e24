// The overview: first what needs a person, then the fleet and its jobs as pictures, then what is down, runs and failed. Each
// figure links to a list that shows the same number.
import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { polled } from '#/api/query.ts';
import { accountQueries } from '#/api/account.ts';
import { historyQueries } from '#/api/history.ts';
import { offers } from '#/api/capabilities.ts';
import { UNFINISHED_JOBS } from '#/api/job-pages.ts';
import { useJobs } from '#/features/jobs/use-jobs.ts';
import { useNow } from '#/ui/controls/time.tsx';
import type { Account } from '#/contract/account.ts';
import type { Job } from '#/contract/jobs.ts';
import { useLateFleet } from '#/features/late-fleet/use-late-fleet.ts';
import { newestFirst } from '#/features/jobs/job-times.ts';
import { RulesToRewrite } from '#/features/rule-editor/rule-faults.tsx';
import { Page } from '#/ui/page/page.tsx';
import { View } from '#/ui/page/view.tsx';
import { lazyPart } from '#/ui/late/lazy-dialog.tsx';
import { RecentDisconnects, FlappingDevices } from './recent-disconnects.tsx';
import { FailedJobs, RunningJobs } from './job-lists.tsx';
import { DownNow } from './down-now.tsx';
import { fleetFigures, LATELY } from './figures.ts';
import { FirstSteps } from './first-steps.tsx';
import { FleetSummary } from './fleet-summary.tsx';
import { DAYS, JobDays, JobsLately } from './job-days.tsx';
import { NeedsYou } from './needs-you.tsx';
import { dayBefore, fleetSeries } from './series.ts';
import { JobTiles, QueueTile, TunnelTile, UsageTiles } from './tiles.tsx';
import { useRecent } from './use-recent.ts';
import { useCounted } from './use-counted.ts';
import { useStaleQueues } from './use-stale-queues.ts';
import classes from './overview-page.module.css';

const FleetMap = lazyPart(() => import('./fleet-map.tsx'), 'FleetMap');

const NONE: Job[] = [];
/** Milliseconds between two readings of the account: whoever adds the first device is waiting for it to appear. */
const OFTEN = 5_000;
const SELDOM = 60_000;
const MOST_JOBS = 200;
const FAILED = 'Failed,Interrupted,RolledBack,NoAnswer';

export function OverviewPage() {
  const account = useQuery(polled(accountQueries.get(), (data) => (data?.NumDevicesAdded === 0 ? OFTEN : SELDOM)));
  return (
    <Page title="Overview">
      <View query={account} name="the account" empty={null} rows={4}>
        {(data) => <Day account={data} />}
      </View>
    </Page>
  );
}

/** Those under way and those that failed lately, the newest first. */
function useCurrentJobs() {
  const now = useNow();
  const hour = Math.floor(now.getTime() / 3_600_000) * 3_600_000;
  const moving = useJobs(UNFINISHED_JOBS, { most: MOST_JOBS });
  const bad = useJobs(
    { status: FAILED, active: new Date(hour - LATELY * 3_600_000).toISOString() },
    { most: MOST_JOBS },
  );
  const both = useMemo(() => {
    if (!moving.data || !bad.data) return undefined;
    return [...new Map([...moving.data, ...bad.data].map((job) => [job.JobId, job])).values()];
  }, [moving.data, bad.data]);
  const newest = useMemo(() => newestFirst(both ?? NONE), [both]);
  return { jobs: { ...(moving.error ? moving : bad), data: both }, all: useCounted(newest, now) };
}

function Day({ account }: { account: Account }) {
  const fleet = useLateFleet(undefined, true);
  const index = fleet?.index;
  const online = useMemo(() => index && fleetFigures(index).online, [index]);
  const recent = useRecent(offers(account, 'history'), index, online);
  const { jobs, all } = useCurrentJobs();
  const reading = {
    data: index,
    error: fleet?.error ?? null,
    isFetching: fleet?.isReading ?? true,
    refetch: () => fleet?.retry(),
    dataUpdatedAt: fleet?.at,
  };
  const work = { reading: jobs, jobs: all };
  const isEmpty = account.NumDevicesAdded === 0;
  const hasHistory = offers(account, 'history');
  const days = useQuery({ ...historyQueries.series(DAYS * 24), enabled: hasHistory && !isEmpty });
  const queues = useStaleQueues(offers(account, 'queue'));
  const isPlaced = useMemo(
    () => index !== undefined && index.query({ filter: { place: 'placed' } }).length > 0,
    [index],
  );
  const past = useMemo(() => days.data && fleetSeries(days.data), [days.data]);
  return (
    <>
      <RulesToRewrite className={classes.alerts} />
      <FirstSteps devices={account.NumDevicesAdded} index={index} />
      {(!isEmpty || all.length > 0) && (
        <NeedsYou account={account} jobs={all} isReadingJobs={!jobs.data && !jobs.error} stale={queues.stale} />
      )}
      {!isEmpty && (
        <div className={classes.top} data-in-order>
          <View query={reading} name="devices" empty={null} rows={3}>
            {(read) => (
              <div className={classes.pictures} data-plain={!hasHistory || undefined}>
                <FleetSummary
                  index={read}
                  hasHistory={hasHistory}
                  hasRollouts={offers(account, 'rollouts')}
                  before={past && dayBefore(past)}
                />
                {isPlaced && (
                  <div className={classes.map}>
                    <FleetMap open={{ index: read }} isUrgent />
                  </div>
                )}
                {hasHistory && (
                  <section className={classes.summary} aria-label="Jobs a day">
                    <div className={classes.title}>
                      <h2>Jobs a day</h2>
                      {days.data && <JobsLately history={days.data} since={past?.since} />}
                    </div>
                    <div className={classes.chart}>
                      <JobDays reading={days} since={past?.since} />
                    </div>
                  </section>
                )}
              </div>
            )}
          </View>
        </div>
      )}
      <div className={classes.tiles} data-in-order>
        <JobTiles history={days.data} since={past?.since} jobs={all} reading={jobs} />
        {offers(account, 'queue') && <QueueTile queues={queues} />}
        <TunnelTile />
        <UsageTiles account={account} />
      </div>
      {(!isEmpty || all.length > 0) && (
        <div className={classes.lists} data-in-order>
          <div data-in-order>
            <DownNow reading={reading} />
          </div>
          <div className={classes.jobs}>
            {jobs.error && (
              <View query={jobs} name="jobs" empty={null}>
                {() => null}
              </View>
            )}
            <RunningJobs {...work} />
            <FailedJobs {...work} />
            <FlappingDevices flapping={recent.flapping} />
          </div>
          {recent.isOffered && (
            <div data-in-order>
              <RecentDisconnects index={index} recent={recent} />
            </div>
          )}
        </div>
      )}
    </>
  );
}
