// The facts of a job beside each other, at the head of its page: what it was aimed at, when, how long, its id.
import { useState, type ReactNode } from 'react';
import { IconChevronRight } from '@tabler/icons-react';
import type { Job } from '#/contract/jobs.ts';
import { ShortId } from '#/ui/controls/copy-button.tsx';
import { Time } from '#/ui/controls/time.tsx';
import { Duration } from './duration.tsx';
import { timesOf } from './job-times.ts';
import classes from './job-fact-list.module.css';

/** On a phone these open below the others, so that the log is in view. */
const LATER = new Set(['Submitted', 'Started', 'Ended', 'Archived', 'Changes', 'Job ID']);

type Fact = readonly [term: string, value: ReactNode];

interface JobFactListProps {
  job: Job;
  target: ReactNode;
  /** What it ran. */
  payload?: readonly Fact[];
  /** After the times. */
  more: readonly Fact[];
  /** Below the facts. */
  children?: ReactNode;
}

export function JobFactList({ job, target, payload = [], more, children }: JobFactListProps) {
  const [all, setAll] = useState(false);
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
    <div className={classes.list} data-all={all || undefined}>
      <dl className={classes.facts}>
        {facts.map(
          ([term, value]) =>
            value !== false && (
              <div key={term} data-later={LATER.has(term) || undefined}>
                <dt>{term}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
      <div data-later>{children}</div>
      <button type="button" className={classes.more} aria-expanded={all} onClick={() => setAll(!all)}>
        <IconChevronRight className="turns" size={16} stroke={1.6} aria-hidden />
        All details
      </button>
    </div>
  );
}
