// What is under way, with bars that move, and what went wrong in the last day.
import { Link } from 'react-router';
import type { BookedVerdicts } from '#/jobs/use-booked-verdicts.ts';
import type { Job } from '#/contract/jobs.ts';
import { outcomeOf } from '#/jobs/outcome.ts';
import { OutcomeBar } from '#/jobs/outcome-bar.tsx';
import { paths } from '#/paths.ts';
import { formatCount } from '#/ui/format.ts';
import { StateMark } from '#/ui/state-mark.tsx';
import { Time, useNow } from '#/ui/time.tsx';
import { LATELY, failedLately, runningNow } from './figures.ts';
import type { JobLine } from './figures.ts';
import { Line, SHOWN, ShortList, noneOf } from './short-list.tsx';

interface DeploymentsProps {
  reading: { data: Job[] | undefined; error: Error | null };
  jobs: Job[];
  verdicts: BookedVerdicts;
}

const nameOf = ({ job }: JobLine) => (
  <Link to={paths.job(job.JobId)}>
    <bdi>{job.JobName || job.JobId}</bdi>
  </Link>
);
const allText = (count: number) => (count === 1 ? 'See it in the list' : `All ${formatCount(count)}`);

export function UnderWay({ reading, jobs, verdicts }: DeploymentsProps) {
  const lines = runningNow(jobs);
  return (
    <ShortList
      title="Under way"
      all={lines.length > 0 && <Link to={paths.jobs({ state: 'moving' })}>{allText(lines.length)}</Link>}
      none={noneOf(reading, 'Nothing runs and nothing waits.')}
    >
      {lines.slice(0, SHOWN).map((line) => {
        const outcome = verdicts.outcomeOf(line.job) ?? outcomeOf(line.job);
        return (
          <Line
            key={line.job.JobId}
            name={nameOf(line)}
            detail={
              <>
                <StateMark state={line.state} label={line.detail} />
                {!outcome && line.job.DeviceName && <bdi> · {line.job.DeviceName}</bdi>}
              </>
            }
            at={<Time at={line.at} />}
          >
            {outcome && <OutcomeBar outcome={outcome} />}
          </Line>
        );
      })}
    </ShortList>
  );
}

export function Failed({ reading, jobs, verdicts }: DeploymentsProps) {
  const lines = failedLately(jobs, useNow(), verdicts);
  return (
    <ShortList
      title="Failed in the last 24 hours"
      all={
        lines.length > 0 && (
          <Link to={paths.jobs({ state: 'bad', within: String(LATELY) })}>{allText(lines.length)}</Link>
        )
      }
      none={noneOf(reading, 'No job failed.')}
      good={reading.data !== undefined}
    >
      {lines.slice(0, SHOWN).map((line) => (
        <Line
          key={line.job.JobId}
          name={nameOf(line)}
          detail={
            <>
              <StateMark state={line.state} label={line.detail} />
              {line.job.DeviceName && <bdi> · {line.job.DeviceName}</bdi>}
            </>
          }
          at={<Time at={line.at} raw={line.job.EndTime} />}
        />
      ))}
    </ShortList>
  );
}
