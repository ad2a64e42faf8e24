// The running jobs with their progress, and the jobs that failed in the last day.
import type { Job } from '#/contract/jobs.ts';
import { jobsText } from '#/features/jobs/job-words.ts';
import { outcomeOf } from '#/features/jobs/outcome.ts';
import { OutcomeBar } from '#/features/jobs/outcome-bar.tsx';
import { paths } from '#/paths.ts';
import { formatCount } from '#/lib/format.ts';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { Time, useNow } from '#/ui/controls/time.tsx';
import { Link } from '#/ui/url/link.tsx';
import { LATELY, byName, failedLately, runningNow, endedWithoutResult, type JobLine } from './figures.ts';
import { Line, SHOWN, ShortList, noneOf } from './short-list.tsx';

interface JobListProps {
  reading: { data: Job[] | undefined; error: Error | null };
  jobs: Job[];
}

const FAILED = { state: 'bad', within: String(LATELY) };

const linkToAll = (to: string, { length }: readonly JobLine[]) =>
  length > 0 && <Link to={to}>{length === 1 ? 'See it in the list' : `All ${formatCount(length)}`}</Link>;

const jobName = ({ JobName, JobId }: Job) => JobName || JobId;

/** The state of a job, and its device if it has only one. */
const jobDetail = ({ job, state, detail, failed = 0 }: JobLine, isParent = false) => (
  <>
    <StateMark state={state} label={detail} isBad={failed > 0} />
    {!isParent && job.DeviceName && <bdi> · {job.DeviceName}</bdi>}
  </>
);

export function RunningJobs({ reading, jobs }: JobListProps) {
  const lines = runningNow(jobs);
  return (
    <ShortList
      title="Running jobs"
      all={linkToAll(paths.jobs({ state: 'moving' }), lines)}
      none={noneOf(reading, 'No running or waiting jobs.')}
    >
      {lines.slice(0, SHOWN).map((line) => {
        const { job, at } = line;
        const outcome = outcomeOf(job);
        return (
          <Line
            key={job.JobId}
            name={jobName(job)}
            to={paths.job(job.JobId)}
            detail={jobDetail(line, outcome !== undefined)}
            at={<Time at={at} />}
          >
            {outcome && <OutcomeBar outcome={outcome} />}
          </Line>
        );
      })}
    </ShortList>
  );
}

export function FailedJobs({ reading, jobs }: JobListProps) {
  const now = useNow();
  const lines = failedLately(jobs, now);
  const untold = endedWithoutResult(jobs, now);
  return (
    <ShortList
      title="Failed, last 24 h"
      all={linkToAll(paths.jobs(FAILED), lines)}
      none={noneOf(
        reading,
        untold > 0 ? `No failure reported; ${jobsText(untold)} ended without a result.` : 'No job failed.',
      )}
      good={reading.data !== undefined && untold === 0}
    >
      {byName(lines)
        .slice(0, SHOWN)
        .map(([line, ...others]) => {
          if (!line) return null;
          const { job, state } = line;
          // The linked list finds parts of names too, so its jobs are counted the same way.
          const part = job.JobName.trim().toLowerCase();
          const count = () => lines.filter(({ job: other }) => other.JobName.toLowerCase().includes(part)).length;
          return (
            <Line
              key={job.JobId}
              name={jobName(job)}
              to={others.length > 0 ? paths.jobs({ name: job.JobName, ...FAILED }) : paths.job(job.JobId)}
              detail={
                others.length > 0 ? (
                  <StateMark state={state} label={`${formatCount(count())} jobs ${state.toLowerCase()}`} />
                ) : (
                  jobDetail(line)
                )
              }
              at={<Time at={line.at} raw={job.EndTime} />}
            />
          );
        })}
    </ShortList>
  );
}
