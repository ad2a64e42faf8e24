// What is under way, with bars that move, and what went wrong in the last day.
import { Link } from 'react-router';
import type { CachedVerdicts } from '#/features/outcome-rules/use-cached-verdicts.ts';
import type { Job } from '#/contract/jobs.ts';
import { outcomeOf } from '#/features/jobs/outcome.ts';
import { OutcomeBar } from '#/features/jobs/outcome-bar.tsx';
import { paths } from '#/paths.ts';
import { formatCount } from '#/lib/format.ts';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { Time, useNow } from '#/ui/controls/time.tsx';
import { LATELY, byName, failedLately, runningNow } from './figures.ts';
import type { JobLine } from './figures.ts';
import { Line, SHOWN, ShortList, noneOf } from './short-list.tsx';

interface DeploymentsProps {
  reading: { data: Job[] | undefined; error: Error | null };
  jobs: Job[];
  verdicts: CachedVerdicts;
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

export function FailedLately({ reading, jobs, verdicts }: DeploymentsProps) {
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
      {byName(lines)
        .slice(0, SHOWN)
        .map((same) => (
          <FailedLine key={same[0]?.job.JobId} same={same} lines={lines} />
        ))}
    </ShortList>
  );
}

function FailedLine({ same, lines }: { same: readonly JobLine[]; lines: readonly JobLine[] }) {
  const [line] = same;
  if (!line) return null;
  const { job, state, detail, at } = line;
  const time = <Time at={at} raw={job.EndTime} />;
  if (same.length === 1)
    return (
      <Line
        name={nameOf(line)}
        detail={
          <>
            <StateMark state={state} label={detail} />
            {job.DeviceName && <bdi> · {job.DeviceName}</bdi>}
          </>
        }
        at={time}
      />
    );
  // The list finds a part of a name, so that it may show a few more.
  const part = job.JobName.trim().toLowerCase();
  const count = lines.filter(({ job: other }) => other.JobName.toLowerCase().includes(part)).length;
  return (
    <Line
      name={
        <Link to={paths.jobs({ name: job.JobName, state: 'bad', within: String(LATELY) })}>
          <bdi>{job.JobName}</bdi>
        </Link>
      }
      detail={<StateMark state={state} label={`${formatCount(count)} jobs ${state.toLowerCase()}`} />}
      at={time}
    />
  );
}
