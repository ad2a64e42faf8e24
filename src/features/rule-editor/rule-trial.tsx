// The trial of rules on the log of a job: the verdict and its reason, and the verdicts for all its devices.
import { NativeSelect } from '@mantine/core';
import type { Job } from '#/contract/jobs.ts';
import { reasonOf } from '#/features/jobs/verdict-mark.tsx';
import { OutcomeBar } from '#/features/jobs/outcome-bar.tsx';
import { outputOf } from '#/features/jobs/job-output.ts';
import type { Judgement, LogPosition } from '#/features/jobs/verdict.ts';
import { formatCount } from '#/lib/format.ts';
import { withoutEscapes } from '#/contract/without-escapes.ts';
import { visible } from '#/lib/glyphs.ts';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { Skeleton } from '#/ui/page/view.tsx';
import type { Samples } from './use-samples.ts';
import type { Trial } from './use-trial.ts';
import classes from './rules-dialog.module.css';

/** Lines before and after the mark. */
const AROUND = 2;
const LONGEST = 300;

/** The lines around a position, or the last lines if there is none. */
function linesAt(job: Job, position: LogPosition | undefined) {
  const { streams } = outputOf(job);
  const stream =
    streams.find(({ name }) => name === position?.stream) ?? streams.find(({ text }) => text.trim() !== '');
  const lines = withoutEscapes(stream?.text.trimEnd() ?? '').split('\n');
  const first = position ? Math.max(0, position.line - 1 - AROUND) : Math.max(0, lines.length - 2 * AROUND);
  const last = position ? position.line + AROUND : lines.length;
  return lines
    .slice(first, last)
    .map((text, offset) => ({ number: first + offset + 1, text: visible(text.replace(/\r$/, '').slice(0, LONGEST)) }));
}

export function RuleTrial({ samples, trial }: { samples: Samples; trial: Trial }) {
  const { jobs, job, choices, sample, loading } = samples;
  const error = samples.error ?? trial.error;
  return (
    <section className={classes.trial} aria-label="Test the rules">
      <h3>Test them on a log</h3>
      {jobs.length === 0 && !loading ? (
        <p className="dim">No job of this artifact has ended yet. When one has, test the rules on its log here.</p>
      ) : (
        <div className={classes.samples}>
          <NativeSelect
            size="xs"
            label="Job"
            value={job?.JobId ?? ''}
            onChange={(event) => samples.chooseJob(event.currentTarget.value)}
            data={jobs.map(({ JobId, JobName }) => ({ value: JobId, label: JobName || JobId }))}
          />
          {choices.length > 0 && (
            <NativeSelect
              size="xs"
              label="Device"
              value={samples.childKey}
              onChange={(event) => samples.chooseChild(event.currentTarget.value)}
              data={choices}
            />
          )}
        </div>
      )}
      {error && <p role="alert">The rules could not be tested: {error.message}</p>}
      {loading && <Skeleton name="the log" rows={3} />}
      {sample && trial.judgement && <Outcome sample={sample} judgement={trial.judgement} trial={trial} />}
    </section>
  );
}

function Outcome({ sample, judgement, trial }: { sample: Job; judgement: Judgement; trial: Trial }) {
  const { counts, judged = 0 } = trial;
  const lines = linesAt(sample, judgement.position);
  return (
    <>
      <p className="small breakable" role="status">
        <StateMark state={judgement.verdict} /> {reasonOf(judgement)}
      </p>
      {lines.some(({ text }) => text !== '') && (
        <ol className={classes.lines} aria-label="Lines of the log">
          {lines.map(({ number, text }) => (
            <li key={number} data-marked={number === judgement.position?.line || undefined}>
              <span>{number}</span>
              <code>{text}</code>
            </li>
          ))}
        </ol>
      )}
      {counts && judged > 1 && (
        <div className={classes.all}>
          <p>{formatCount(judged)} devices of this job, with these rules</p>
          <OutcomeBar outcome={counts} />
        </div>
      )}
    </>
  );
}
