// How a job ended, with its log taken into account: by the rules of its artifact, else by its exit code, else by its
// last line of output. The service's own state is shown beside it.
import { jobState, type JobState } from '#/api/job-state.ts';
import type { Job } from '#/contract/jobs.ts';
import { quoted, type LogPosition, type Reading, type Rule } from './rule.ts';
import { reportedOutcome } from './reported-outcome.ts';

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

/** Without rules: the exit code where the service reports it, else its Status, else the text of the output. */
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

/**
 * The worst decides: a mark of a rollback, then a failure by mark or by exit code, then a mark of success. Where success
 * has a mark and it was not found, exit code 0 is no answer. What never ended, or was cancelled, stays what it is.
 */
export function verdictOf(job: Job, rules: readonly Rule[] = [], reading?: Reading): Judgement {
  const raw = jobState(job);
  const alone = unruled(job, raw);
  if (rules.length === 0 || !reading || raw === 'Waiting' || raw === 'Running' || raw === 'Cancelled') return alone;
  const { found, untried } = reading;
  const ruled = found && {
    verdict: found.rule.verdict,
    because: `rule ${quoted(found.rule.find)} ${found.position ? `at ${lineText(found.position)}` : 'near its end'}`,
    position: found.position,
    raw,
  };
  if (ruled && ruled.verdict !== 'Succeeded') return raw === 'Failed' && ruled.verdict === 'Failed' ? alone : ruled;
  if (raw === 'Failed' || raw === 'Interrupted') return alone;
  const nothing = { verdict: 'No answer' as const, position: undefined, raw };
  if (untried)
    return { ...nothing, because: `rule ${quoted(untried.rule.find)}, which could not be tried: ${untried.why}` };
  if (ruled) return ruled;
  if (!rules.some(({ verdict }) => verdict === 'Succeeded')) return alone;
  return { ...nothing, because: 'the lack of any mark of success in its output' };
}

export function countVerdicts(judgements: Iterable<Pick<Judgement, 'verdict'>>): VerdictCounts {
  const counts: VerdictCounts = {};
  for (const { verdict } of judgements) counts[verdict] = (counts[verdict] ?? 0) + 1;
  return counts;
}
