// How a job ended: as the service judged it by the outcome rules, else by its exit code, else by its last line of output.
// Its status is shown beside it.
import { jobState, type JobState } from '#/contract/job-state.ts';
import type { Job } from '#/contract/jobs.ts';
import { reportedOutcome } from './reported-outcome.ts';

/** A line of a job's output, counted from 1. */
export interface LogPosition {
  /** As the log view calls it: "stdout", "stderr", or "output" where a service does not keep them apart. */
  stream: string;
  line: number;
}

/** “…” as a person reads it, never longer than a line. */
const quoted = (text: string): string => `“${text.length > 60 ? `${text.slice(0, 59)}…` : text}”`;

/**
 * A state of a job, or one that only its log shows. `Rolled back`: what ran has put the device back to what it was. `No
 * answer`: it has ended, but the mark of success that its artifact should leave is nowhere in the log.
 */
export type Verdict = JobState | 'Rolled back' | 'No answer';

/** What needs a person first, then what is done, then what is still open. */
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

/** Verdicts that a person has to look into. A cancelled job is what somebody wanted. */
export const FAILURES: readonly Verdict[] = ['Failed', 'Rolled back', 'No answer', 'Interrupted'];

/** How many jobs have which verdict; those without a job are left out. */
export type VerdictCounts = Partial<Record<Verdict, number>>;

export interface Judgement {
  verdict: Verdict;
  /** What it rests on, to go on after "because of": "exit code 1", "rule “rolled back” at line 12". */
  because: string;
  /** The line it rests on. */
  position: LogPosition | undefined;
  /** The state that the service reports, whatever the log shows. */
  raw: JobState;
}

/** How {@link Judgement.because} names its line. */
export const lineText = ({ stream, line }: LogPosition) => `line ${line}${stream === 'stderr' ? ' of stderr' : ''}`;

/** By the exit code where the service reports it, else its Status, else the text of the output. */
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

/** The contract's words for a verdict that is no status. */
const WORDS: Readonly<Record<string, Verdict>> = { RolledBack: 'Rolled back', NoAnswer: 'No answer' };
export const wordOf = (verdict: string): Verdict =>
  WORDS[verdict] ?? jobState({ Status: verdict, StartTime: '', EndTime: 'some' });

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

/** The output of a job without a status is searched once. */
const known = new WeakMap<Job, Judgement>();

export function verdictOf(job: Job): Judgement {
  const before = known.get(job);
  if (before) return before;
  const raw = jobState(job);
  const judgement = judgementOf(job, raw) ?? unruled(job, raw);
  known.set(job, judgement);
  return judgement;
}

/** The counts of a parent by verdict, where its service judged any of its children. */
export function verdictCountsOf({ VerdictCounts: counts }: Pick<Job, 'VerdictCounts'>): VerdictCounts | undefined {
  if (!counts) return undefined;
  return Object.fromEntries(Object.entries(counts).map(([word, count]) => [wordOf(word), count]));
}

export function countVerdicts(judgements: Iterable<Pick<Judgement, 'verdict'>>): VerdictCounts {
  const counts: VerdictCounts = {};
  for (const { verdict } of judgements) counts[verdict] = (counts[verdict] ?? 0) + 1;
  return counts;
}
