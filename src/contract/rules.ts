// Outcome rules, an addition: what a mark in the output of a job means. Vendors' update scripts exit with 0 even after a
// rollback, and only the output shows it. When a job ends, the service judges it by the rules of what it ran.
import * as z from 'zod/mini';
import { list, nameText, optionalNumber, optionalText, pathId, row, text } from '#/contract/endpoint.ts';
import { resource } from '#/contract/resource.ts';

/** The meaning of a mark, worst first: of several marks in one output the worst decides. */
export const RULE_VERDICTS = ['RolledBack', 'Failed', 'Succeeded'] as const;
export const RULE_STREAMS = ['both', 'stdout', 'stderr'] as const;
const LONGEST_FIND = 500;
/** Most rules per name. */
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

/** Why a rule is invalid. Only the service knows whether it can run a pattern. */
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
    /** The name of an artifact for all its versions, of a workflow, or of jobs. */
    ArtifactName: text,
    Rules: z.catch(z.array(readRule), []),
    /** Rules stored by an earlier version that the service cannot run and that must be rewritten, with the reason. */
    MustRewrite: z.optional(z.catch(z.array(z.object({ Find: z.string(), Fault: z.string() })), [])),
    /**
     * Rules stored by an earlier version that this one reads differently: as they are written. They do not judge until an
     * Admin has saved them with `Reviewed`, or somebody has edited them. `Before`: how they were read; empty: not at all.
     */
    Review: z.optional(z.catch(z.array(z.object({ Find: z.string(), Before: z.string() })), [])),
    /** As in views. */
    ChangedBy: text,
    ChangedByName: text,
    ChangedTime: text,
  }),
);
export type RuleSet = z.output<typeof ruleSet>;

const counts = z.optional(z.record(z.string(), z.number()));

/** What a single rule finds. */
const finding = z.object({
  /** The first line with the mark, from 1, and its text. No line number if the beginning of the output is missing. */
  Stream: optionalText,
  Line: optionalNumber,
  Text: optionalText,
  /** Why the rule cannot be saved. */
  Fault: optionalText,
  /** Why the trial did not complete. */
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
  /** `If-Match` with the ETag of the list: 412 if the list has changed meanwhile. */
  save: {
    method: 'PUT',
    path: '/v1/rules/:artifact_name',
    permission: {
      oneOf: ['operate', 'admin'],
      of: ({ body }) => ((body as { Reviewed?: boolean } | undefined)?.Reviewed ? 'admin' : 'operate'),
    },
    changes: ['jobs'],
    addition: true,
    summary: 'Replace the outcome rules of a name; an empty list ends them. Jobs that have ended are judged again',
    params,
    /** `Reviewed`: an Admin confirms the rules that are listed in `Review`. */
    body: z.object({ Rules: usableRules, Reviewed: z._default(z.boolean(), false) }),
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
      /** What each rule finds by itself, in the order of the rules. */
      Each: z.optional(z.array(finding)),
      VerdictCounts: counts,
      /** Number of devices in the counts. */
      Judged: optionalNumber,
    }),
  },
});
