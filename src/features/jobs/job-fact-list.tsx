// The facts of a job beside each other, at the head of its page: what it was aimed at, when, how long, its id.
import type { ReactNode } from 'react';
import type { Job } from '#/contract/jobs.ts';
import { ShortId } from '#/ui/controls/copy-button.tsx';
import { Time } from '#/ui/controls/time.tsx';
import { Duration } from './duration.tsx';
import { timesOf } from './job-times.ts';
import classes from './job-fact-list.module.css';

type Fact = readonly [term: string, value: ReactNode];

interface JobFactListProps {
  job: Job;
  target: ReactNode;
  /** What it ran. */
  payload?: readonly Fact[];
  /** After the times. */
  more: readonly Fact[];
}

export function JobFactList({ job, target, payload = [], more }: JobFactListProps) {
  const { created, started, ended } = timesOf(job);
  const facts: Fact[] = [
    ['Target', target],
    ...payload,
    ['Submitted', job.CreatedTime !== undefined && <Time key="at" at={created} raw={job.CreatedTime} />],
    ['Started', <Time key="at" at={started} raw={job.StartTime} />],
    ['Ended', <Time key="at" at={ended} raw={job.EndTime} />],
    ['Duration', <Duration key="for" job={job} />],
    ...more,
    ['Job ID', <ShortId key="id" value={job.JobId} what="job id" />],
  ];
  return (
    <dl className={classes.facts}>
      {facts.map(
        ([term, value]) =>
          value !== false && (
            <div key={term}>
              <dt>{term}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
