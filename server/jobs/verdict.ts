// How a job ended according to its outcome rules.
import type { JobStatus } from '#/contract/jobs.ts';
import type { Rule } from '#/contract/rules.ts';
import type { Reading } from './read-marks.ts';

/** The possible verdicts on an ended job, including those that only its output can show. */
export type VerdictWord = JobStatus | 'RolledBack' | 'NoAnswer';

export interface Verdict {
  verdict: VerdictWord;
  /** Continues "because of": `exit code 1`, `rule “rolled back” at line 12`. */
  because: string;
  stream: string | null;
  line: number | null;
}

const quoted = (text: string): string => `“${text.length > 60 ? `${text.slice(0, 59)}…` : text}”`;

/**
 * The worst finding decides: a mark of a rollback, then a failure by mark or by exit code, then a mark of success. If
 * the rules have a mark of success and none was found, exit code 0 means NoAnswer.
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
    const fate = untried.fate ?? 'could not be tried';
    return plain('NoAnswer', `rule ${quoted(untried.rule.Find)}, which ${fate}: ${untried.why}`);
  }
  if (ruled) return ruled;
  if (!rules.some(({ Verdict: word }) => word === 'Succeeded')) return own;
  return plain('NoAnswer', 'the lack of any mark of success in its output');
}
