// How a job ended: by the service's outcome rules, else by its exit code, else by its last line of output. The status is
// shown beside it.
import { jobState, type JobState } from '#/contract/job-state.ts';
import type { Job } from '#/contract/jobs.ts';
import { reportedOutcome } from './reported-outcome.ts';

/** A line of a job's output, counted from 1. */
export interface LogPosition {
  /** Name in the log view: "stdout", "stderr", or "output" if the service does not separate them. */
  stream: string;
  line: number;
}

/** The text in quotes, shortened to one line. */
const quoted = (text: string): string => `“${text.length > 60 ? `${text.slice(0, 59)}…` : text}”`;

/**
 * A state of a job, or one that only its log shows. `Rolled back`: the update restored the device's previous state. `No
 * answer`: the job ended, but the log lacks the artifact's mark of success.
 */
export type Verdict = JobState | 'Rolled back' | 'No answer';

/** Failures first, then ended jobs, then unfinished ones. */
export const VERDICTS: readonly Verdict[] = [
  'Failed',
  'Rolled back',
  'No answer',
  'Interrupted',
  'Cancelled',
  'Succeeded',
  'Finished',
  'Running',
  'Waiting',
];

/** Verdicts that need a user's attention. Cancelled is not one, because somebody wanted it. */
export const FAILURES: readonly Verdict[] = ['Failed', 'Rolled back', 'No answer', 'Interrupted'];

/** Number of jobs by verdict; verdicts without jobs are missing. */
export type VerdictCounts = Partial<Record<Verdict, number>>;

export interface Judgement {
  verdict: Verdict;
  /** The reason, to follow "because of": "exit code 1", "rule “rolled back” at line 12". */
  because: string;
  /** The line that decided it. */
  position: LogPosition | undefined;
  /** The state that the service reports. */
  raw: JobState;
}

/** The line as {@link Judgement.because} names it. */
export const lineText = ({ stream, line }: LogPosition) => `line ${line}${stream === 'stderr' ? ' of stderr' : ''}`;

/** The verdict by exit code if the service reports it, else by Status, else by the output. */
function unruled(job: Job, raw: JobState): Judgement {
  const plain = { verdict: raw, position: undefined, raw };
  if (raw === 'Finished') {
    const reported = reportedOutcome(job);
    return reported
      ? { ...reported, because: `its output, ${quoted(reported.text)} at ${lineText(reported.position)}`, raw }
      : { ...plain, because: 'nobody: neither the service nor the output says how it ended' };
  }
  const hasCode = (raw === 'Succeeded' || raw === 'Failed') && job.ExitCode !== undefined;
  return { ...plain, because: hasCode ? `exit code ${job.ExitCode}` : 'the service' };
}

/** Verdicts of the contract that are not statuses. */
const WORDS = new Map(Object.entries<Verdict>({ RolledBack: 'Rolled back', NoAnswer: 'No answer' }));
export const wordOf = (verdict: string): Verdict =>
  WORDS.get(verdict) ?? jobState({ Status: verdict, StartTime: '', EndTime: 'some' });

export const judgementOf = (
  job: Pick<Job, 'Verdict' | 'VerdictBecause' | 'VerdictStream' | 'VerdictLine'>,
  raw: JobState,
): Judgement | undefined =>
  job.Verdict === undefined
    ? undefined
    : {
        verdict: wordOf(job.Verdict),
        because: job.VerdictBecause || 'its rules',
        position:
          job.VerdictStream !== undefined && job.VerdictLine !== undefined
            ? { stream: job.VerdictStream, line: job.VerdictLine }
            : undefined,
        raw,
      };

/** Judgements by job, so that the output of a job without a status is searched only once. */
const known = new WeakMap<Job, Judgement>();

export function verdictOf(job: Job): Judgement {
  const before = known.get(job);
  if (before) return before;
  const raw = jobState(job);
  const judgement = judgementOf(job, raw) ?? unruled(job, raw);
  known.set(job, judgement);
  return judgement;
}

/** The counts of a parent by verdict, if the service judged any of its children. */
export function verdictCountsOf({ VerdictCounts: counts }: Pick<Job, 'VerdictCounts'>): VerdictCounts | undefined {
  if (!counts) return undefined;
  return Object.fromEntries(Object.entries(counts).map(([word, count]) => [wordOf(word), count]));
}

export function countVerdicts(judgements: Iterable<Pick<Judgement, 'verdict'>>): VerdictCounts {
  const counts: VerdictCounts = {};
  for (const { verdict } of judgements) counts[verdict] = (counts[verdict] ?? 0) + 1;
  return counts;
}
