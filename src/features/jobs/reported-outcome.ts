// How a job ended according to the last line of its output, for a service that reports neither exit code nor state. Only
// unambiguous words count: a wrong success is worse than none.
import type { Job } from '#/contract/jobs.ts';
import { outputOf } from './job-output.ts';
import type { LogPosition } from './verdict.ts';
import { withoutEscapes } from '#/contract/without-escapes.ts';

const WHAT = String.raw`(?:update|upgrade|install(?:ation)?|deployment|job|script|rollout)`;
const ROLLED_BACK = /\b(?:rolled back|rollback (?:is )?(?:complete|completed|done|succeeded|finished))\b/i;
const FAILED = new RegExp(
  String.raw`^(?:[\w./-]+: )*(?:error|fatal|failed|failure|aborted)\b|\b${WHAT}(?: has)? failed\b|: (?:command not found|not found|no such file or directory|permission denied|no space left on device)$`,
  'i',
);
const SUCCEEDED = new RegExp(
  String.raw`^(?:ok|done|success|completed?|finished)[.! ]*$|\bsuccessfully (?:updated|upgraded|installed|completed|finished|deployed)\b|\b${WHAT}(?: was| has| is)? (?:complete|completed|succeeded|successful|finished|done)\b`,
  'i',
);
const DENIED = /\b(?:no|not|never|without|zero|if|would|unless)\b|n['’]t\b|(?<![\d.])0(?![\d.])/i;

/** How many characters from the end the last line may begin. */
const TAIL = 4096;

export interface ReportedOutcome {
  verdict: 'Rolled back' | 'Failed' | 'Succeeded';
  text: string;
  position: LogPosition;
}

function lastLine(text: string): { text: string; line: number } | undefined {
  const end = text.trimEnd().length;
  const start = Math.max(text.lastIndexOf('\n', end - 1), text.lastIndexOf('\r', end - 1)) + 1;
  if (end === 0 || end - start > TAIL) return undefined;
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < start; at = text.indexOf('\n', at + 1)) line++;
  return { text: withoutEscapes(text.slice(start, end)).trim(), line };
}

function verdictOfLine(line: string): ReportedOutcome['verdict'] | undefined {
  if (FAILED.test(line)) return 'Failed';
  if (DENIED.test(line)) return undefined;
  return ROLLED_BACK.test(line) ? 'Rolled back' : SUCCEEDED.test(line) ? 'Succeeded' : undefined;
}

/** The worst outcome that one of the streams ends with. */
export function reportedOutcome(job: Pick<Job, 'Stdout' | 'Stderr' | 'Result'>): ReportedOutcome | undefined {
  const reported = outputOf(job).streams.flatMap(({ name, text }): ReportedOutcome[] => {
    const last = lastLine(text);
    const verdict = last && verdictOfLine(last.text);
    return last && verdict ? [{ verdict, text: last.text, position: { stream: name, line: last.line } }] : [];
  });
  const worst = (['Rolled back', 'Failed', 'Succeeded'] as const).find((each) =>
    reported.some(({ verdict }) => verdict === each),
  );
  return reported.find(({ verdict }) => verdict === worst);
}
