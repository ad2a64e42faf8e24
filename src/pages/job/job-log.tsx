// The output of one job, live while it runs, with the service's own note.
import { useMemo } from 'react';
import type { Job } from '#/contract/jobs.ts';
import type { FollowedJob } from '#/api/job-output.ts';
import { isMoving } from '#/contract/job-state.ts';
import { formatBytes } from '#/lib/format.ts';
import { printMark } from '#/ui/log/line-marks.ts';
import type { LogStream } from '#/ui/log/log-items.ts';
import { LogView } from '#/ui/log/log-view.tsx';
import { logFileName, logStreams, outputOf } from '#/features/jobs/job-output.ts';
import { EXPLANATIONS, otherFields } from '#/features/jobs/job-words.ts';
import { stateOf } from '#/features/jobs/outcome.ts';
import { reasonOf } from '#/features/jobs/verdict-mark.tsx';
import { lineText, type Judgement } from '#/features/jobs/verdict.ts';
import { logUrl } from '#/ui/log/line-marks.ts';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import classes from './job-page.module.css';

interface JobLogProps {
  job: Job;
  /** The job with its output in pieces, if the service offers that. */
  followed: FollowedJob | undefined;
  judgement: Judgement | undefined;
  /** The name of the device, for the labels of the region and the file. */
  device: string;
}

/** The streams of a job, their order of arrival, and the service's note. */
function useStreams(job: Job, output: FollowedJob['output']) {
  const { stdout, stderr } = output ?? {};
  const followed = useMemo(
    () =>
      stdout && stderr
        ? [
            { name: 'stdout', pieces: stdout.pieces },
            { name: 'stderr', pieces: stderr.pieces, error: true },
          ]
        : undefined,
    [stdout, stderr],
  );
  const whole = useMemo(() => {
    if (followed) return undefined;
    const came = outputOf(job);
    return { streams: logStreams(came), reason: came.reason };
  }, [followed, job]);
  return {
    streams: followed ?? whole?.streams ?? [],
    order: output?.order,
    reason: whole ? whole.reason : job.Result.trim(),
  };
}

/** How much of the output has been fetched so far. */
function fetchedText({ output, complete }: FollowedJob): string | undefined {
  if (complete || !output) return undefined;
  const { stdout, stderr } = output;
  return `${formatBytes(stdout.next + stderr.next)} of ${formatBytes(stdout.size + stderr.size)} fetched`;
}

/** The reason for a verdict, with a link to the line that it names. */
function Reason({ judgement, streams }: { judgement: Judgement; streams: readonly LogStream[] }) {
  const [, url] = useUrlState(logUrl);
  const { position } = judgement;
  const text = reasonOf(judgement);
  const name = position && lineText(position);
  const at = name === undefined ? -1 : text.lastIndexOf(` at ${name}`);
  if (!position || name === undefined || at === -1 || !streams.some((stream) => stream.name === position.stream))
    return text;
  const before = at + ' at '.length;
  const line = printMark({ stream: position.stream, from: position.line, to: position.line }, streams);
  return (
    <>
      {text.slice(0, before)}
      <button type="button" className={classes.lineLink} onClick={() => url.set({ line, log: undefined })}>
        {name}
      </button>
      {text.slice(before + name.length)}
    </>
  );
}

export function JobLog({ job, followed, judgement, device }: JobLogProps) {
  const { streams, order, reason } = useStreams(job, followed?.output);
  const meaning = EXPLANATIONS[judgement?.verdict ?? stateOf(job)];
  const reasoned = judgement && (judgement.verdict !== judgement.raw || judgement.position) ? judgement : undefined;
  const others = otherFields(job);
  const bare =
    others.length > 0 && streams.every(({ pieces }) => pieces.length === 0) && (!isMoving(job) || job.JobId === '');
  return (
    <>
      {(meaning || reasoned) && (
        <p className={classes.note}>
          {meaning} {reasoned && <Reason judgement={reasoned} streams={streams} />}
        </p>
      )}
      {reason && <p className={classes.said}>{reason}</p>}
      {!bare && (
        <LogView
          name={`Output of ${device}`}
          streams={streams}
          order={order}
          live={isMoving(job)}
          fetched={followed && fetchedText(followed)}
          fileName={logFileName(job.JobName, device)}
        />
      )}
      {others.length > 0 && (
        <dl className={classes.others} aria-label="Other fields">
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
