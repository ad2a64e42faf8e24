// Outcome rules; an addition. What they make of jobs: jobs/judge.ts.
import type { RuleSet, ruleEndpoints } from '#/contract/rules.ts';
import { printIsoTime } from '#/contract/timestamps.ts';
import type { Context } from '../context.ts';
import { isUnchanged, type HandlerRequest, type Handlers } from '../http/implement.ts';
import { Problem } from '../http/problem.ts';
import type { MarksReader } from '../jobs/marks-reader.ts';
import type { Reading } from '../jobs/read-marks.ts';
import { verdictOf, type Verdict } from '../jobs/verdict.ts';
import type { Reader } from '../store/database.ts';
import { readOutput } from '../store/job-output.ts';
import { childJobs, jobById, type JobRow } from '../store/jobs.ts';
import { ruleSetsOf, saveRules } from '../store/rules.ts';
import { personOf } from '../store/sessions.ts';
import { namesOf } from './audit-names.ts';

/** Devices of a parent on which rules are tried. */
const TRIED_CHILDREN = 500;
/** Of a stream: rules are tried again at each change of them. */
const TRIED_BYTES = 1024 * 1024;

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
        if (!(await isUnchanged(request.http.req.header('If-Match'), () => list(tx, request))))
          throw new Problem(412, 'The rules have changed meanwhile', 'Read them again, and decide anew.');
        const name = params.artifact_name;
        const set = { account_id: account.id, name, rules: body.Rules };
        await saveRules(tx, { ...set, changed_by: await personOf(tx, actor), changed: now() });
        await audit.record(tx, request, 'rules.save', name);
      }),

    try: async ({ account, body: { Rules, JobId } }) => {
      const job = await jobById(db, account.id, JobId);
      if (job.device_seq === null) {
        const children = (await childJobs(db, job.seq, 0, TRIED_CHILDREN)).filter(({ ended }) => ended !== null);
        const counts: Record<string, number> = {};
        const slow = new Set<number>();
        for (const child of children) {
          const [reading] = await trials.read([await outputOf(child)], Rules, slow);
          const { verdict } = verdictOf(child, Rules, reading ?? NOTHING);
          counts[verdict] = (counts[verdict] ?? 0) + 1;
        }
        return { VerdictCounts: counts, Judged: children.length };
      }
      if (job.ended === null) throw new Problem(409, 'The job has not ended', 'Rules are tried on jobs that have.');
      const output = await outputOf(job);
      const each = await Promise.all(Rules.map(async (rule) => (await trials.read([output], [rule]))[0] ?? NOTHING));
      return { ...printed(verdictOf(job, Rules, await together(trials, output, Rules, each))), Each: each.map(found) };
    },
  };
}

const NOTHING: Reading = { found: undefined, untried: undefined };

/** Patterns that were too slow alone are not tried once more. */
async function together(
  trials: MarksReader,
  output: Parameters<MarksReader['read']>[0][number],
  rules: Parameters<MarksReader['read']>[1],
  each: Reading[],
): Promise<Reading> {
  const slow = new Set(each.flatMap(({ untried }, index) => (untried ? [index] : [])));
  return (await trials.read([output], rules, slow))[0] ?? NOTHING;
}

const printed = ({ verdict, because, stream, line }: Verdict) => ({
  Verdict: verdict,
  VerdictBecause: because,
  ...(stream !== null && { VerdictStream: stream }),
  ...(line !== null && { VerdictLine: line }),
});

const found = ({ found: mark, untried }: Reading) => ({
  ...(mark && { Stream: mark.stream, Line: mark.line, Text: mark.text }),
  ...(untried && { Untried: untried.why }),
});

async function list(db: Reader, { account }: HandlerRequest): Promise<RuleSet[]> {
  const rows = await ruleSetsOf(db, account.id);
  const by = rows.map(({ changed_by }) => ({ actor: changed_by, action: '', target: '' }));
  const names = await namesOf(db, account.id, by);
  return rows.map(({ name, rules, changed_by, changed }) => ({
    ArtifactName: name,
    Rules: rules,
    ChangedBy: changed_by,
    ChangedByName: names.get(changed_by) ?? '',
    ChangedTime: printIsoTime(new Date(changed)),
  }));
}
