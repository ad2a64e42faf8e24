// The device's jobs as a queue: what is running, what is waiting and in which order, what is stale, and what is done.
import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import { useOffered } from '#/api/capabilities.ts';
import { jobState, canStop } from '#/contract/job-state.ts';
import { jobQueries } from '#/api/jobs.ts';
import type { Device } from '#/contract/devices.ts';
import { jobEndpoints, type Job } from '#/contract/jobs.ts';
import { staleWarning } from '#/features/jobs/job-words.ts';
import { StaleMark } from '#/features/job-queue/stale-mark.tsx';
import { useStaleRules } from '#/features/job-queue/use-stale-rules.ts';
import { verdictOf } from '#/features/jobs/verdict.ts';
import { VerdictMark } from '#/features/jobs/verdict-mark.tsx';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { paths } from '#/paths.ts';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import { DataTable, rowName, type Column } from '#/ui/table/table.tsx';
import { formatCount, formatDuration } from '#/lib/format.ts';
import { useMoreRows } from '#/ui/table/more-rows.tsx';
import { Section } from '#/ui/page/page.tsx';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { useNow } from '#/ui/controls/time.tsx';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { optional, urlSchema } from '#/ui/url/url-schema.ts';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import { useSnapshot } from '#/ui/use-snapshot.ts';
import { lazyDialog } from '#/ui/late/lazy-dialog.tsx';
import { Empty, View } from '#/ui/page/view.tsx';
import { jobQueueOf } from './job-queue.ts';
import type { WaitingJob } from '#/features/job-queue/remove-stale-dialog.tsx';
import { timesOf } from '#/features/jobs/job-times.ts';
import { staleIn, staleTexts, type StaleReason, type StaleRules } from '#/features/job-queue/stale.ts';
import { Link } from '#/ui/url/link.tsx';
import classes from './device-jobs.module.css';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';

const RemoveStaleDialog = lazyDialog(() => import('#/features/job-queue/remove-stale-dialog.tsx'), 'RemoveStaleDialog');

/** Rows shown at first, so that the sections below are not far away, above all on a phone. */
const FEW = 10;
const deviceJobsUrl = urlSchema({ dialog: optional });

export function DeviceJobs({ device }: { device: Device }) {
  const hasQueue = useOffered('queue');
  return hasQueue === false ? <JobsAimedAt device={device} /> : <OwnJobs device={device} enabled={hasQueue === true} />;
}

/** Where the service lists no device's queue: the way to the jobs that have it as their only target. */
function JobsAimedAt({ device: { DeviceId } }: { device: Device }) {
  return (
    <Section title="Jobs">
      <p className="small">
        <Link to={paths.jobs({ device: DeviceId })}>Jobs to this device</Link>
      </p>
    </Section>
  );
}

function OwnJobs({ device, enabled }: { device: Device; enabled: boolean }) {
  const { DeviceId } = device;
  const noDeploy = useMay(jobEndpoints.submit, 'Deploying');
  const own = useQuery({ ...jobQueries.ofDevice(DeviceId), enabled });
  return (
    <Section title="Queue and jobs">
      <View
        query={own}
        name="its jobs"
        rows={3}
        isEmpty={(jobs) => jobs.length === 0}
        empty={
          <Empty
            title="No jobs yet"
            action={
              <Gate why={noDeploy}>
                <Button component={Link} to={paths.deploy({ device: DeviceId })} size="xs">
                  Deploy to it
                </Button>
              </Gate>
            }
          >
            {device.DeviceStatus === 'Online'
              ? null
              : `You can deploy now: the job runs when the device ${device.DeviceStatus === 'NotConnected' ? 'connects for the first time' : 'is online'}.`}
          </Empty>
        }
      >
        {(jobs) => <Queue jobs={jobs} device={device} />}
      </View>
    </Section>
  );
}

interface QueueRow {
  job: Job;
  /** Position among the waiting jobs, from 1. */
  position?: number;
  online: boolean;
  stale?: StaleReason[] | undefined;
}

const COLUMNS: Column<QueueRow>[] = [
  { header: 'Job', cell: ({ job }) => <JobLink job={job} /> },
  { header: 'State', cell: (row) => <State {...row} /> },
  { header: 'When', cell: ({ job }) => <When job={job} />, phone: 'second' },
  { header: 'Duration', cell: ({ job }) => <Took job={job} />, align: 'end', phone: 'second' },
  { header: 'Exit', cell: ({ job }) => job.ExitCode ?? '', align: 'end', phone: 'hide' },
];

function useStaleJobs(waiting: Job[]) {
  const { rules, settled } = useStaleRules(waiting.length > 0 ? waiting : undefined);
  return { settled, stale: useMemo(() => staleJobs(waiting, rules), [waiting, rules]) };
}

function Queue({ jobs, device }: { jobs: Job[]; device: Device }) {
  const { DeviceId: id, DeviceName: name, DeviceStatus: status } = device;
  const online = status === 'Online';
  const noCancel = useMay(jobEndpoints.remove, 'Removing jobs');
  const { running, waiting, executed } = useMemo(() => jobQueueOf(jobs), [jobs]);
  const { stale, settled } = useStaleJobs(waiting);
  const rows: QueueRow[] = [
    ...running.map((job) => ({ job, online })),
    ...waiting.map((job, index) => ({ job, position: index + 1, online, stale: stale.get(job) })),
    ...executed.map((job) => ({ job, online })),
  ];
  const [shown, more] = useMoreRows(rows, FEW);
  const [{ dialog }, url] = useUrlState(deviceJobsUrl);
  const plan = useSnapshot(dialog === 'remove-stale', () => (settled ? toRemove(stale, name || id) : undefined));
  return (
    <>
      {stale.size > 0 && (
        <div className={classes.stale}>
          <p>{staleWarning(stale.size, online)}</p>
          <Gate why={noCancel ?? (settled ? undefined : 'Still checking which jobs are stale')}>
            <Button size="xs" onClick={() => url.open({ dialog: 'remove-stale' })}>
              Remove {stale.size === 1 ? 'the stale job' : `the ${formatCount(stale.size)} stale jobs`}…
            </Button>
          </Gate>
        </div>
      )}
      <DataTable name="Jobs of this device" columns={COLUMNS} rows={shown} rowKey={({ job }) => job.JobId} />
      {more}
      <RemoveStaleDialog open={plan && { jobs: plan, onClose: () => url.close('dialog') }} />
    </>
  );
}

function JobLink({ job }: { job: Job }) {
  const { JobId, JobName, ParentJobId } = job;
  return (
    <Link to={ParentJobId ? paths.childJob(ParentJobId, JobId) : paths.job(JobId)} className={rowName}>
      <MiddleEllipsis text={JobName || JobId} />
    </Link>
  );
}

function State({ job, position, online, stale }: QueueRow) {
  const state = jobState(job);
  if (position === undefined) return <VerdictMark judgement={verdictOf(job)} />;
  const when = position > 1 ? `no. ${formatCount(position)}` : online ? 'runs next' : 'runs next when Online';
  const mark = <StateMark state={state} label={`${state}, ${when}`} />;
  return stale ? (
    <span className={classes.marks}>
      {mark}
      <StaleMark reasons={stale} />
    </span>
  ) : (
    mark
  );
}

function When({ job: { CreatedTime, StartTime, EndTime } }: { job: Job }) {
  const [word, raw] = EndTime ? ['Ended', EndTime] : StartTime ? ['Started', StartTime] : ['Submitted', CreatedTime];
  if (!raw) return null;
  return (
    <>
      <span className="dim">{word}</span> <Timestamp text={raw} />
    </>
  );
}

function Took({ job: { StartTime, EndTime } }: { job: Job }) {
  const now = useNow();
  const start = parseTimestamp(StartTime);
  const end = EndTime ? parseTimestamp(EndTime) : now;
  return start && end ? <>{formatDuration(end.getTime() - start.getTime())}</> : null;
}

/** The stale ones among a device's waiting jobs. `waiting`: in the order in which they will run. */
function staleJobs(waiting: readonly Job[], rules: StaleRules): Map<Job, StaleReason[]> {
  const queue = waiting.map((job) => ({
    job,
    state: 'Waiting',
    ArtifactId: job.ArtifactId,
    created: timesOf(job).created?.getTime(),
  }));
  return new Map(Array.from(staleIn(queue, rules), ([{ job }, reasons]) => [job, reasons]));
}

const toRemove = (stale: ReadonlyMap<Job, StaleReason[]>, DeviceName: string): WaitingJob[] =>
  Array.from(stale, ([job, reasons]) => ({
    JobId: job.JobId,
    JobName: job.JobName,
    ParentJobId: job.ParentJobId,
    canStop: canStop(job),
    DeviceId: job.DeviceId,
    DeviceName,
    created: timesOf(job).created?.getTime(),
    why: staleTexts(reasons),
  }));
