// Outcome rules, an addition. jobs/judge.ts applies them to jobs.
import type { Rule, RuleSet, ruleEndpoints } from '#/contract/rules.ts';
import { printIsoTime } from '#/contract/timestamps.ts';
import type { Context } from '../context.ts';
import { invalid, Problem } from '../http/problem.ts';
import { requireUnlimited } from '../http/require-permission.ts';
import { isUnchanged, type HandlerRequest, type Handlers } from '../http/implement.ts';
import type { Strikes } from '../jobs/marks-reader.ts';
import { formerReading, patternFault, savingFault } from '../jobs/pattern.ts';
import type { Reading } from '../jobs/read-marks.ts';
import { verdictOf, type Verdict } from '../jobs/verdict.ts';
import type { Reader } from '../store/database.ts';
import { readOutput } from '../store/job-output.ts';
import { childJobs, jobById, type JobRow } from '../store/jobs.ts';
import { scopeOf } from '../store/scope.ts';
import { READING, ruleSetsOf, saveRules, type StoredRule } from '../store/rules.ts';
import { holderOf } from '../store/sessions.ts';
import { namesOf } from './audit-names.ts';

/** The most children of a parent that rules are tried on. */
const TRIED_CHILDREN = 500;
/** The most bytes of a stream that rules are tried on, because the editor tries them after each change. */
const TRIED_BYTES = 1024 * 1024;
/** The time limit for trying rules on a parent, because the editor waits. */
const TRIAL_MS = 5_000;

export function ruleRoutes({ db, audit, now, trials }: Context): Handlers<typeof ruleEndpoints> {
  const outputOf = async ({ seq }: JobRow) => [
    { name: 'stdout', text: (await readOutput(db, seq, 'stdout', 0, TRIED_BYTES)).toString() },
    { name: 'stderr', text: (await readOutput(db, seq, 'stderr', 0, TRIED_BYTES)).toString() },
  ];
  return {
    list: (request) => list(db, request),

    save: (request) =>
      db.write(async (tx) => {
        const { account, actor, params, body } = request;
        const errors = body.Rules.flatMap((rule, index) => {
          const message = savingFault(rule);
          return message === undefined ? [] : [{ field: `Rules.${index}.Find`, message }];
        });
        if (errors.length > 0) throw invalid(errors);
        if (!(await isUnchanged(request.http.req.header('If-Match'), () => list(tx, request))))
          throw new Problem(412, 'The rules have changed meanwhile', 'Read them again, and decide anew.');
        const name = params.artifact_name;
        // What others rely on is changed only by those whose devices are all concerned.
        const sets = await ruleSetsOf(tx, account.id);
        if (request.groups && sets.some((set) => set.name === name)) requireUnlimited(request, 'operate');
        const before = sets.find((set) => set.name === name)?.rules ?? [];
        const waiting = body.Reviewed ? [] : before.filter((rule) => formerReading(rule) !== undefined);
        const rules = body.Rules.map((rule): StoredRule =>
          waiting.some((each) => hasSamePattern(each, rule)) ? rule : { ...rule, Reading: READING },
        );
        const set = { account_id: account.id, name, rules };
        await saveRules(tx, { ...set, changed_by: await holderOf(tx, actor), changed: now() });
        await audit.record(tx, request, 'rules.save', name);
      }),

    try: async (request) => {
      const { Rules, JobId } = request.body;
      const scope = scopeOf(request);
      const job = await jobById(db, scope, JobId);
      if (job.device_seq === null) {
        const children = (await childJobs(db, scope, job.seq, 0, TRIED_CHILDREN)).filter(({ ended }) => ended !== null);
        const counts = new Map<string, number>();
        const strikes: Strikes = new Map();
        const until = performance.now() + TRIAL_MS;
        let judged = 0;
        for (const child of children) {
          if (performance.now() > until) break;
          const [reading] = await trials.read([await outputOf(child)], Rules, { strikes });
          if (!reading) continue;
          const { verdict } = verdictOf(child, Rules, reading);
          counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
          judged += 1;
        }
        return { VerdictCounts: Object.fromEntries(counts), Judged: judged };
      }
      if (job.ended === null) throw new Problem(409, 'The job has not ended', 'Rules are tried on jobs that have.');
      const [reading] = await trials.read([await outputOf(job)], Rules, { all: true });
      if (!reading) throw new TypeError('An output was not read');
      const Each = Rules.map((rule, index) => printedFinding(reading.each[index], savingFault(rule)));
      return { ...printed(verdictOf(job, Rules, reading)), Each };
    },
  };
}

const printed = ({ verdict, because, stream, line }: Verdict) => ({
  Verdict: verdict,
  VerdictBecause: because,
  ...(stream !== null && { VerdictStream: stream }),
  ...(line !== null && { VerdictLine: line }),
});

const printedFinding = (result: Reading['each'][number], fault: string | undefined) => ({
  ...(result && 'line' in result && { Stream: result.stream, Line: result.line, Text: result.text }),
  ...(result && 'why' in result && { Untried: result.why }),
  ...(fault !== undefined && { Fault: fault }),
});

const hasSamePattern = (one: Rule, two: Rule): boolean =>
  one.Pattern === two.Pattern && one.Find === two.Find && one.CaseSensitive === two.CaseSensitive;

const printedRule = ({ Find, Pattern, CaseSensitive, Stream, Verdict }: StoredRule): Rule => ({
  Find,
  Pattern,
  CaseSensitive,
  Stream,
  Verdict,
});

/** Rules that an earlier version stored and read differently, until an Admin has confirmed them. */
function review(rules: readonly StoredRule[]): Pick<RuleSet, 'Review'> {
  const found = rules.flatMap((rule) => {
    const Before = formerReading(rule);
    return Before === undefined ? [] : [{ Find: rule.Find, Before }];
  });
  return found.length > 0 ? { Review: found } : {};
}

/** Faults of rules that an earlier version stored. */
function mustRewrite(rules: readonly Rule[]): Pick<RuleSet, 'MustRewrite'> {
  const found = rules.flatMap((rule) => {
    const Fault = patternFault(rule);
    return Fault === undefined ? [] : [{ Find: rule.Find, Fault }];
  });
  return found.length > 0 ? { MustRewrite: found } : {};
}

async function list(db: Reader, { account }: HandlerRequest): Promise<RuleSet[]> {
  const rows = await ruleSetsOf(db, account.id);
  const by = rows.map(({ changed_by }) => ({ actor: changed_by, action: '', target: '' }));
  const names = await namesOf(db, account.id, by);
  return rows.map(({ name, rules, changed_by, changed }) => ({
    ArtifactName: name,
    Rules: rules.map(printedRule),
    ...mustRewrite(rules),
    ...review(rules),
    ChangedBy: changed_by,
    ChangedByName: names.get(changed_by) ?? '',
    ChangedTime: printIsoTime(new Date(changed)),
  }));
}
