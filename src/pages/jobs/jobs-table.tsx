// The table of jobs: name, target, state and times.
import { useMemo, useState } from 'react';
import { IconChevronDown, IconChevronRight, IconPlayerStop, IconTrash } from '@tabler/icons-react';
import { jobEndpoints, type Job } from '#/contract/jobs.ts';
import type { Tag } from '#/contract/tags.ts';
import { canStop, isStopping } from '#/contract/job-state.ts';
import { paths } from '#/paths.ts';
import { counted, formatCount } from '#/lib/format.ts';
import { toggled } from '#/lib/toggled.ts';
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
import { foldWaves, parentOf, type FoldedJobs } from './fold-waves.ts';
import { jobSelection } from './job-selection.ts';
import classes from './jobs.module.css';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';

const nameOf = ({ JobName, JobId }: Job) => JobName || JobId;
const keyOf = ({ JobId }: Job) => JobId;
const wavesText = (waves: readonly Job[]) => {
  const all = waves[0]?.WaveCount ?? waves.length;
  return waves.length < all ? `${formatCount(waves.length)} of ${counted(all, 'wave')}` : counted(all, 'wave');
};
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

const ATTEMPT: Column<Job> = {
  header: 'Attempt',
  width: '76px',
  align: 'end',
  phone: 'hide',
  cell: (job) => attemptsOf(job) > 1 && formatCount(attemptsOf(job)),
};

/** The rows that stand for a rollout. */
interface Rollouts extends Pick<FoldedJobs, 'waves'> {
  opened: ReadonlySet<string>;
  toggle: (key: string) => void;
}

const columnsOf = (
  { jobs, tags, onStop, onDelete }: JobsTableProps,
  { waves, opened, toggle }: Rollouts,
  { noStop, noDelete }: Gates,
) =>
  [
    {
      header: 'Name',
      by: 'name',
      cell: (job) => {
        const of = waves.get(job.JobId);
        if (of)
          return (
            <span className={classes.rollout}>
              <IconButton
                icon={opened.has(job.JobId) ? IconChevronDown : IconChevronRight}
                size="sm"
                label={`${wavesText(of)} of ${nameOf(job)}`}
                aria-expanded={opened.has(job.JobId)}
                onClick={() => toggle(job.JobId)}
              />
              <Link to={paths.rollout(job.RolloutId ?? '')} className={rowName}>
                <MiddleEllipsis text={nameOf(job)} />
              </Link>
            </span>
          );
        const isInner = waves.has(parentOf(job) ?? '');
        return (
          <>
            <Link
              to={paths.job(job.JobId)}
              className={`${rowName} ${isInner ? classes.wave : ''}`}
              {...(isInner && { 'aria-label': `${nameWithoutWave(job)}, wave ${waveText(job)}` })}
            >
              <MiddleEllipsis text={isInner ? `Wave ${waveText(job)}` : nameOf(job)} />
            </Link>
            {attemptsOf(job) > 1 && <span className="dim on-phone"> attempt {formatCount(attemptsOf(job))}</span>}
          </>
        );
      },
    },
    {
      header: 'Target',
      by: 'target',
      width: '13%',
      phone: 'wide',
      cell: (job) => {
        const of = waves.get(job.JobId);
        return of ? wavesText(of) : <MiddleEllipsis text={targetText(targetOf(job, tags))} />;
      },
    },
    {
      header: 'State',
      by: 'state',
      width: 'min(348px, 34cqi)',
      phone: 'wide',
      cell: (job) => <Standing job={job} />,
    },
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
      width: '104px',
      room: 'medium',
      phone: 'end',
      cell: (job) => <Duration job={job} />,
    },
    {
      header: 'Actions',
      width: '84px',
      tools: true,
      cell: (job) =>
        // What is done to a rollout is done on its page.
        waves.has(job.JobId) ? null : (
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
  const { jobs, find } = props;
  const noStop = useMay(jobEndpoints.stop, 'Stopping jobs');
  const noDelete = useMay(jobEndpoints.remove, 'Deleting jobs');
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const { rows, waves } = useMemo(() => foldWaves(jobs, opened), [jobs, opened]);
  // A wave whose row was closed is not kept while the pointer is in the rows, unlike one that left the list.
  const findRow = useMemo(() => {
    const listed = new Set(jobs.map(keyOf));
    return (id: string) => (listed.has(id) ? undefined : find(id));
  }, [jobs, find]);
  const { ids, add, remove, toggle } = useSelectedIds(jobSelection);
  const jobsOf = (keys: readonly string[]) => keys.flatMap((key) => waves.get(key)?.map(keyOf) ?? key);
  const whole = [...waves.keys()].filter((key) => jobsOf([key]).every((id) => ids.has(id)));
  const isWhole = (key: string) => whole.includes(key);
  return (
    <VirtualTable
      name="Jobs"
      columns={columnsOf(
        props,
        { waves, opened, toggle: (key) => setOpened((now) => toggled(now, key)) },
        { noStop, noDelete },
      )}
      rows={rows}
      rowKey={keyOf}
      find={findRow}
      parentOf={parentOf}
      selection={{
        ids: new Set([...ids, ...whole]),
        add: (keys) => add(jobsOf(keys)),
        remove: (keys) => remove(jobsOf(keys)),
        toggle: (key) => (isWhole(key) ? remove(jobsOf([key])) : waves.has(key) ? add(jobsOf([key])) : toggle(key)),
        nameOf,
        all: `Select all ${formatCount(jobs.length)}`,
      }}
      sort={props.sort}
      onSort={props.onSort}
    />
  );
}
