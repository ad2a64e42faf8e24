// Outcome rules: what a mark in the output of a job means. Vendors' update scripts end with exit code 0 after a rollback;
// only the output shows it. An addition: the service judges each job by the rules of what it ran when it ends.
import * as z from 'zod/mini';
import { list, nameText, optionalNumber, optionalText, pathId, row, text } from '#/contract/endpoint.ts';
import { resource } from '#/contract/resource.ts';

/** What a mark can mean, the worst first: of several marks in one output the worst decides. */
export const RULE_VERDICTS = ['RolledBack', 'Failed', 'Succeeded'] as const;
export const RULE_STREAMS = ['both', 'stdout', 'stderr'] as const;
const LONGEST_FIND = 500;
/** Of one name. */
export const MOST_RULES = 50;

const ruleFields = {
  /** Text in a line of the output, or a regular expression for one line. */
  Find: z.string(),
  Pattern: z._default(z.boolean(), false),
  CaseSensitive: z._default(z.boolean(), false),
  Stream: z._default(z.enum(RULE_STREAMS), 'both'),
  Verdict: z.enum(RULE_VERDICTS),
};
const readRule = z.object(ruleFields);
export type Rule = z.output<typeof readRule>;

/** Why a rule cannot be used, in words. Whether the service can run a pattern, only the service knows. */
export function ruleFault(rule: Rule): string | undefined {
  if (rule.Find.trim() === '') return 'Enter text to find in the log';
  if (rule.Find.length > LONGEST_FIND) return `Longer than ${LONGEST_FIND} characters`;
  return undefined;
}

const usableRule = readRule.check(({ value, issues }) => {
  const message = ruleFault(value);
  if (message !== undefined) issues.push({ code: 'custom', message, input: value, path: ['Find'] });
});
const usableRules = z.array(usableRule).check(z.maxLength(MOST_RULES, `must be at most ${MOST_RULES}`));

const ruleSet = row(
  z.looseObject({
    /** Of an artifact in all its versions, of a workflow, or of jobs. */
    ArtifactName: text,
    Rules: z.catch(z.array(readRule), []),
    /** Rules of an earlier version that the service cannot run: they must be rewritten, and say why. */
    MustRewrite: z.optional(z.catch(z.array(z.object({ Find: z.string(), Fault: z.string() })), [])),
    /** As in views. */
    ChangedBy: text,
    ChangedByName: text,
    ChangedTime: text,
  }),
);
export type RuleSet = z.output<typeof ruleSet>;

const counts = z.optional(z.record(z.string(), z.number()));

/** What a rule alone finds. */
const finding = z.object({
  /** The first line with the mark, from 1, and its text; without a line the beginning of the output is missing. */
  Stream: optionalText,
  Line: optionalNumber,
  Text: optionalText,
  /** Why it cannot be saved as it is. */
  Fault: optionalText,
  /** Why it was not tried to the end. */
  Untried: optionalText,
});
export type RuleFinding = z.output<typeof finding>;

const params = z.object({ artifact_name: nameText });

export const ruleEndpoints = resource('rules', { id: 'artifact_name' }).operations({
  list: {
    method: 'GET',
    path: '/v1/rules',
    permission: 'read',
    addition: true,
    summary: 'List the outcome rules of all names',
    response: list(ruleSet),
  },
  /** `If-Match` with the ETag of the list: 412 if it has changed meanwhile. */
  save: {
    method: 'PUT',
    path: '/v1/rules/:artifact_name',
    permission: 'operate',
    changes: ['jobs'],
    addition: true,
    summary: 'Replace the outcome rules of a name; an empty list ends them. Jobs that have ended are judged again',
    params,
    body: z.object({ Rules: usableRules }),
  },
  try: {
    method: 'POST',
    path: '/v1/rules/:artifact_name/try',
    permission: 'read',
    addition: true,
    summary: 'What these rules would make of a job that has ended: of one device, or counted over the first 500',
    params,
    body: z.object({ Rules: usableRules, JobId: pathId }),
    response: z.object({
      Verdict: optionalText,
      VerdictBecause: optionalText,
      VerdictStream: optionalText,
      VerdictLine: optionalNumber,
      /** What each rule alone finds, in their order. */
      Each: z.optional(z.array(finding)),
      VerdictCounts: counts,
      /** How many devices are in the counts. */
      Judged: optionalNumber,
    }),
  },
});
