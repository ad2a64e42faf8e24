// The list of jobs: what, for whom, how it went, when.
import { Link } from 'react-router';
import { ActionIcon } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import type { Job } from '#/contract/jobs.ts';
import type { Tag } from '#/contract/tags.ts';
import { paths } from '#/paths.ts';
import { rowName } from '#/ui/data-table.tsx';
import { StateMark } from '#/ui/state-mark.tsx';
import { Time } from '#/ui/time.tsx';
import { VirtualTable } from '#/ui/virtual-table.tsx';
import type { VirtualColumn } from '#/ui/virtual-table.tsx';
import { Duration } from '#/jobs/duration.tsx';
import { timesOf } from '#/jobs/job-times.ts';
import { targetOf, targetText } from '#/jobs/job-words.ts';
import { outcomeOf, stateOf, totalOf } from '#/jobs/outcome.ts';
import { OutcomeBar } from '#/jobs/outcome-bar.tsx';
import classes from './jobs.module.css';

function Standing({ job }: { job: Job }) {
  const outcome = outcomeOf(job);
  return (
    <span className={classes['standing']}>
      <StateMark state={stateOf(job)} />
      {outcome && totalOf(outcome) > 0 ? (
        <OutcomeBar outcome={outcome} />
      ) : (
        job.ExitCode !== undefined && job.ExitCode !== 0 && <span className="dim">exit code {job.ExitCode}</span>
      )}
    </span>
  );
}

interface JobsTableProps {
  jobs: Job[];
  tags: Tag[] | undefined;
  onDelete: (job: Job) => void;
}

const columnsOf = ({ tags, onDelete }: Omit<JobsTableProps, 'jobs'>): VirtualColumn<Job>[] => [
  {
    header: 'Name',
    width: '25%',
    cell: (job) => (
      <Link to={paths.job(job.JobId)} className={rowName} title={job.JobName}>
        {job.JobName || job.JobId}
      </Link>
    ),
  },
  {
    header: 'Target',
    width: '14%',
    phone: 'wide',
    cell: (job) => {
      const text = targetText(targetOf(job, tags));
      return <span title={text}>{text}</span>;
    },
  },
  { header: 'State', width: '40%', phone: 'wide', cell: (job) => <Standing job={job} /> },
  {
    header: 'Started',
    width: '10%',
    phone: 'second',
    cell: (job) => <Time at={timesOf(job).started} raw={job.StartTime} />,
  },
  { header: 'Duration', width: '11%', phone: 'second', cell: (job) => <Duration job={job} /> },
  {
    header: 'Actions',
    width: '52px',
    tools: true,
    cell: (job) => (
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`Delete ${job.JobName || job.JobId}`}
        title="Delete job"
        onClick={() => onDelete(job)}
      >
        <IconTrash size={16} stroke={1.6} aria-hidden />
      </ActionIcon>
    ),
  },
];

export function JobsTable({ jobs, tags, onDelete }: JobsTableProps) {
  return <VirtualTable name="Jobs" columns={columnsOf({ tags, onDelete })} rows={jobs} rowKey={({ JobId }) => JobId} />;
}
