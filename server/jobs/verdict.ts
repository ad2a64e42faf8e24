// How a job ended by the outcome rules of what it ran.
import type { JobStatus } from '#/contract/jobs.ts';
import type { Rule } from '#/contract/rules.ts';
import type { Reading } from './read-marks.ts';

/** What a job that has ended can be found to be: also what only its output shows. */
export type VerdictWord = JobStatus | 'RolledBack' | 'NoAnswer';

export interface Verdict {
  verdict: VerdictWord;
  /** Goes on after "because of": `exit code 1`, `rule “rolled back” at line 12`. */
  because: string;
  stream: string | null;
  line: number | null;
}

const quoted = (text: string): string => `“${text.length > 60 ? `${text.slice(0, 59)}…` : text}”`;

/**
 * The worst decides: a mark of a rollback, then a failure by mark or by exit code, then a mark of success. Where success
 * has a mark and it was not found, exit code 0 is no answer.
 */
export function verdictOf(
  { status, exit_code: code }: { status: JobStatus; exit_code: number | null },
  rules: readonly Rule[],
  { found, untried }: Pick<Reading, 'found' | 'untried'>,
): Verdict {
  const plain = (verdict: VerdictWord, because: string): Verdict => ({ verdict, because, stream: null, line: null });
  const own = plain(status, code === null ? 'the service' : `exit code ${code}`);
  const ruled: Verdict | undefined = found && {
    verdict: found.rule.Verdict,
    because: `rule ${quoted(found.rule.Find)} at line ${found.line}${found.stream === 'stderr' ? ' of stderr' : ''}`,
    stream: found.stream,
    line: found.line,
  };
  if (ruled && ruled.verdict !== 'Succeeded') return status === 'Failed' && ruled.verdict === 'Failed' ? own : ruled;
  if (status !== 'Succeeded') return own;
  if (untried) {
    const fate = untried.mustRewrite ? 'must be rewritten' : 'could not be tried';
    return plain('NoAnswer', `rule ${quoted(untried.rule.Find)}, which ${fate}: ${untried.why}`);
  }
  if (ruled) return ruled;
  if (!rules.some(({ Verdict: word }) => word === 'Succeeded')) return own;
  return plain('NoAnswer', 'the lack of any mark of success in its output');
}
