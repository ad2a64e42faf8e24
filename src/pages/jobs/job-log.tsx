// The output of one job, live while it runs, with what the service says of it.
import type { Job } from '#/contract/jobs.ts';
import { isMoving, jobState } from '#/api/jobs.ts';
import { LogView } from '#/ui/log-view.tsx';
import { logFileName, outputOf } from '#/jobs/job-output.ts';
import { explain, otherFields } from '#/jobs/job-words.ts';
import { reasonOf } from '#/jobs/verdict-mark.tsx';
import type { Judgement } from '#/jobs/verdict.ts';
import type { Address } from '#/ui/use-address.ts';
import classes from './job-page.module.css';

interface JobLogProps {
  job: Job;
  judgement: Judgement | undefined;
  /** Whose output it is, for the name of the region and of the file. */
  device: string;
  address: Address;
}

export function JobLog({ job, judgement, device, address }: JobLogProps) {
  const { streams, said } = outputOf(job);
  const shown = streams.find(({ name }) => name === address.params.get('log'))?.name;
  const meaning = explain(judgement?.verdict ?? jobState(job));
  const reason = judgement && judgement.verdict !== judgement.raw && reasonOf(judgement);
  const others = otherFields(job);
  const bare = others.length > 0 && streams.every(({ text }) => text === '') && (!isMoving(job) || job.JobId === '');
  return (
    <>
      {(meaning || reason) && (
        <p className={classes['note']}>
          {meaning} {reason}
        </p>
      )}
      {said && <p className={classes['said']}>{said}</p>}
      {!bare && (
        <LogView
          name={`Output of ${device}`}
          streams={streams}
          live={isMoving(job)}
          shown={streams.length > 1 ? shown : undefined}
          onShown={(log) => address.set({ log })}
          fileName={logFileName(job.JobName, device)}
        />
      )}
      {others.length > 0 && (
        <dl className={classes['others']} aria-label="Other fields">
          {others.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}
