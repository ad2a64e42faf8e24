// The table of jobs: name, target, state and times.
import { IconPlayerStop, IconTrash } from '@tabler/icons-react';
import { jobEndpoints, type Job } from '#/contract/jobs.ts';
import type { Tag } from '#/contract/tags.ts';
import { canStop, isStopping } from '#/contract/job-state.ts';
import { paths } from '#/paths.ts';
import { formatCount } from '#/lib/format.ts';
import { Duration } from '#/features/jobs/duration.tsx';
import { timesOf } from '#/features/jobs/job-times.ts';
import {
  ALREADY_ASKED,
  awaitedBriefly,
  nameWithoutWave,
  targetOf,
  targetText,
  waveText,
} from '#/features/jobs/job-words.ts';
import { awaitedOffline, jobWords, outcomeOf, totalOf } from '#/features/jobs/outcome.ts';
import { OutcomeCell } from '#/features/jobs/outcome-bar.tsx';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import { rowName, type Column } from '#/ui/table/table.tsx';
import type { Sort } from '#/ui/table/sort.ts';
import { IconButton } from '#/ui/controls/icon-button.tsx';
import { StateOf } from '#/ui/controls/state-mark.tsx';
import { Time } from '#/ui/controls/time.tsx';
import { VirtualTable } from '#/ui/table/virtual-table.tsx';
import { useSelectedIds } from '#/ui/table/selected-ids.ts';
import { Link } from '#/ui/url/link.tsx';
import { jobSelection } from './job-selection.ts';
import classes from './jobs.module.css';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';

const nameOf = ({ JobName, JobId }: Job) => JobName || JobId;
const keyOf = ({ JobId }: Job) => JobId;
/** How often a job was tried on its single device; a parent counts the attempts of each device by itself. */
const attemptsOf = ({ DeviceName, Attempts = 1 }: Job) => (DeviceName ? Attempts : 1);

function Standing({ job }: { job: Job }) {
  const outcome = outcomeOf(job);
  const awaits = awaitedOffline(job);
  return (
    <span className={classes.standing}>
      <StateOf words={jobWords(job, outcome)} />
      {outcome && totalOf(outcome) > 0 ? (
        <OutcomeCell outcome={outcome} of={nameOf(job)} awaits={awaits} />
      ) : awaits > 0 ? (
        <span className="dim">{awaitedBriefly(awaits)}</span>
      ) : (
        job.ExitCode !== undefined && job.ExitCode !== 0 && <span className="dim">exit code {job.ExitCode}</span>
      )}
    </span>
  );
}

interface JobsTableProps {
  jobs: Job[];
  /** Finds a job, whether or not it matches the filter. */
  find: (id: string) => Job | undefined;
  tags: Tag[] | undefined;
  sort: Sort | undefined;
  /** Undefined while the list is only partly loaded. */
  onSort: ((sort: Sort | undefined) => void) | undefined;
  onStop: (job: Job) => void;
  onDelete: (job: Job) => void;
}

/** Why jobs may be neither stopped nor deleted. */
interface Gates {
  noStop: string | undefined;
  noDelete: string | undefined;
}

const WAVE: Column<Job> = {
  header: 'Wave',
  width: '68px',
  align: 'end',
  phone: 'hide',
  cell: waveText,
};

const ATTEMPT: Column<Job> = {
  header: 'Attempt',
  width: '76px',
  align: 'end',
  phone: 'hide',
  cell: (job) => attemptsOf(job) > 1 && formatCount(attemptsOf(job)),
};

/** Beside the name on a phone, where they have no columns. */
const waveAndAttempt = (job: Job) =>
  [
    waveText(job) !== undefined && `wave ${waveText(job)}`,
    attemptsOf(job) > 1 && `attempt ${formatCount(attemptsOf(job))}`,
  ]
    .filter(Boolean)
    .join(', ');

const columnsOf = ({ jobs, tags, onStop, onDelete }: JobsTableProps, { noStop, noDelete }: Gates) =>
  [
    {
      header: 'Name',
      by: 'name',
      cell: (job) => (
        <>
          <Link to={paths.job(job.JobId)} className={rowName}>
            <MiddleEllipsis text={nameWithoutWave(job) || job.JobId} />
          </Link>
          {waveAndAttempt(job) && <span className="dim on-phone"> {waveAndAttempt(job)}</span>}
        </>
      ),
    },
    {
      header: 'Target',
      by: 'target',
      width: '13%',
      phone: 'wide',
      cell: (job) => <MiddleEllipsis text={targetText(targetOf(job, tags))} />,
    },
    {
      header: 'State',
      by: 'state',
      width: 'min(348px, 34cqi)',
      phone: 'wide',
      cell: (job) => <Standing job={job} />,
    },
    ...(jobs.some((job) => waveText(job) !== undefined) ? [WAVE] : []),
    ...(jobs.some((job) => attemptsOf(job) > 1) ? [ATTEMPT] : []),
    {
      header: 'Submitted',
      by: 'submitted',
      width: '90px',
      phone: 'hide',
      cell: (job) => <Time at={timesOf(job).created} raw={job.CreatedTime} />,
    },
    {
      header: 'Started',
      by: 'started',
      width: '90px',
      room: 'wide',
      phone: 'second',
      cell: (job) => <Time at={timesOf(job).started} raw={job.StartTime} />,
    },
    {
      header: 'Duration',
      by: 'took',
      width: '98px',
      room: 'medium',
      phone: 'end',
      cell: (job) => <Duration job={job} />,
    },
    {
      header: 'Actions',
      width: '84px',
      tools: true,
      cell: (job) => (
        <span className="snug">
          {canStop(job) && (
            <Gate why={noStop ?? (isStopping(job) ? ALREADY_ASKED : undefined)}>
              <IconButton
                icon={IconPlayerStop}
                label={`Stop ${nameOf(job)}`}
                title="Stop job"
                onClick={() => onStop(job)}
              />
            </Gate>
          )}
          <Gate why={noDelete}>
            <IconButton
              icon={IconTrash}
              label={`Delete ${nameOf(job)}`}
              title="Delete job"
              onClick={() => onDelete(job)}
            />
          </Gate>
        </span>
      ),
    },
  ] satisfies Column<Job>[];

export function JobsTable(props: JobsTableProps) {
  const noStop = useMay(jobEndpoints.stop, 'Stopping jobs');
  const noDelete = useMay(jobEndpoints.remove, 'Deleting jobs');
  return (
    <VirtualTable
      name="Jobs"
      columns={columnsOf(props, { noStop, noDelete })}
      rows={props.jobs}
      rowKey={keyOf}
      find={props.find}
      selection={{ ...useSelectedIds(jobSelection), nameOf }}
      sort={props.sort}
      onSort={props.onSort}
    />
  );
}
