// Where a day begins: what is down, what just went down, what runs, what failed; each figure leads to its list.
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import { accountQueries } from '#/api/account.ts';
import { fleetReading, useFleet } from '#/api/fleet/use-fleet.ts';
import { jobQueries } from '#/api/jobs.ts';
import type { Job } from '#/contract/jobs.ts';
import { StaleNote } from '#/jobs/stale-note.tsx';
import { useBookedVerdicts } from '#/jobs/use-booked-verdicts.ts';
import { paths } from '#/paths.ts';
import { formatBytes, formatCount } from '#/ui/format.ts';
import { Meter } from '#/ui/meter.tsx';
import { Page, Section } from '#/ui/page.tsx';
import { StateMark } from '#/ui/state-mark.tsx';
import { Time, useNow } from '#/ui/time.tsx';
import { View } from '#/ui/view.tsx';
import { FirstSteps } from './first-steps.tsx';
import { failedLately, fleetFigures, runningNow, wentOffline } from './figures.ts';
import classes from './overview-page.module.css';

/** Rows of each short list; the page behind it has the rest. */
const SHOWN = 6;

export function OverviewPage() {
  const account = useQuery(accountQueries.get());
  return (
    <Page title="Overview">
      <View query={account} name="the account" empty={null} rows={4}>
        {({ NumDevicesAdded, PlanMaxDeviceLimit, ArtifactBytesUsed, ArtifactBytesLimit }) => (
          <>
            {NumDevicesAdded === 0 && <FirstSteps />}
            <div className={classes['figures']}>
              <FleetFigure />
              <JobFigures />
              <div className={classes['figure']}>
                <Meter label="Device licences" used={NumDevicesAdded} limit={PlanMaxDeviceLimit} format={formatCount} />
                {ArtifactBytesUsed !== undefined && ArtifactBytesLimit !== undefined && (
                  <Meter
                    label="Artifact storage"
                    used={ArtifactBytesUsed}
                    limit={ArtifactBytesLimit}
                    format={formatBytes}
                  />
                )}
                <Link to={paths.account()}>Account and usage</Link>
              </div>
            </div>
            {NumDevicesAdded > 0 && (
              <div className={classes['lists']}>
                <Running />
                <Failed />
                <WentOffline />
              </div>
            )}
          </>
        )}
      </View>
    </Page>
  );
}

function FleetFigure() {
  const fleet = fleetReading(useFleet({ need: true }));
  return (
    <div className={classes['figure']}>
      <View query={fleet} name="devices" empty={null} rows={2}>
        {(index) => {
          const { online, offline, other } = fleetFigures(index);
          return (
            <>
              <Link to={paths.devices()} className={classes['big'] ?? ''}>
                {formatCount(index.size)} <span>{index.size === 1 ? 'device' : 'devices'}</span>
              </Link>
              <div className={classes['split']}>
                <Link to={paths.devices({ status: 'Online' })}>
                  <StateMark state="Online" label={`${formatCount(online)} Online`} />
                </Link>
                <Link to={paths.devices({ status: 'Offline' })}>
                  <StateMark state="Offline" label={`${formatCount(offline)} Offline`} />
                </Link>
                {other > 0 && <span className="dim">{formatCount(other)} in another state</span>}
              </div>
            </>
          );
        }}
      </View>
    </div>
  );
}

const NONE: Job[] = [];

function JobFigures() {
  const jobs = useQuery(jobQueries.list());
  const verdicts = useBookedVerdicts(jobs.data ?? NONE, false);
  const failed = failedLately(jobs.data ?? NONE, useNow(), verdicts).length;
  const moving = runningNow(jobs.data ?? []).length;
  return (
    <div className={classes['figure']}>
      <View query={jobs} name="jobs" empty={null} rows={2}>
        {(all) => (
          <>
            <Link to={paths.jobs()} className={classes['big'] ?? ''}>
              {formatCount(all.length)} <span>{all.length === 1 ? 'job' : 'jobs'}</span>
            </Link>
            <div className={classes['split']}>
              <StateMark state={moving > 0 ? 'Running' : 'Finished'} label={`${formatCount(moving)} under way`} />
              <StateMark state={failed > 0 ? 'Failed' : 'Finished'} label={`${formatCount(failed)} failed in 24 h`} />
            </div>
            <StaleNote />
          </>
        )}
      </View>
    </div>
  );
}

/** A list that could not be read is no empty one; why, is said above it. */
const noneOf = ({ data, error }: { data: unknown; error: Error | null }, none: string) =>
  data === undefined ? (error ? 'Not known: it could not be read.' : 'Reading…') : none;

function ShortList(props: { title: string; all: ReactNode; none: string; children: ReactNode[] }) {
  const { title, all, none, children } = props;
  return (
    <Section title={title} actions={all}>
      {children.length > 0 ? (
        <ul className={classes['list']}>{children}</ul>
      ) : (
        <p className={classes['none']}>{none}</p>
      )}
    </Section>
  );
}

function Running() {
  const jobs = useQuery(jobQueries.list());
  return (
    <ShortList
      title="Under way"
      all={<Link to={paths.jobs()}>All jobs</Link>}
      none={noneOf(jobs, 'Nothing runs and nothing waits.')}
    >
      {runningNow(jobs.data ?? [])
        .slice(0, SHOWN)
        .map(({ job, state, detail, at }) => (
          <li key={job.JobId}>
            <Link to={paths.job(job.JobId)}>{job.JobName || job.JobId}</Link>
            <StateMark state={state} label={detail} />
            <Time at={at} />
          </li>
        ))}
    </ShortList>
  );
}

function Failed() {
  const jobs = useQuery(jobQueries.list());
  const now = useNow();
  const verdicts = useBookedVerdicts(jobs.data ?? NONE);
  return (
    <ShortList
      title="Failed in the last 24 hours"
      all={<Link to={paths.jobs()}>All jobs</Link>}
      none={noneOf(jobs, 'No job failed.')}
    >
      {failedLately(jobs.data ?? NONE, now, verdicts)
        .slice(0, SHOWN)
        .map(({ job, state, detail, at }) => (
          <li key={job.JobId}>
            <Link to={paths.job(job.JobId)}>{job.JobName || job.JobId}</Link>
            <StateMark state={state} label={detail} />
            <Time at={at} raw={job.EndTime} />
          </li>
        ))}
    </ShortList>
  );
}

function WentOffline() {
  const { data: index, error } = fleetReading(useFleet({ need: true }));
  return (
    <ShortList
      title="Went Offline last"
      all={<Link to={paths.devices({ status: 'Offline' })}>All Offline</Link>}
      none={noneOf({ data: index, error }, 'No device that was seen before is Offline.')}
    >
      {(index ? wentOffline(index, SHOWN) : []).map(({ device, at }) => (
        <li key={device.DeviceId}>
          <Link to={paths.device(device.DeviceId)}>{device.DeviceName || device.DeviceId}</Link>
          <span className="dim">{device.DeviceGroup}</span>
          <Time at={at} />
        </li>
      ))}
    </ShortList>
  );
}
