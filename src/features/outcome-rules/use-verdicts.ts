// The verdicts of jobs whose output is at hand. They are found again with other rules; a list gets their counts by the cache.
import { useEffect, useMemo, useState } from 'react';
import { isLean } from '#/api/lean-rows.ts';
import { isMoving, jobState } from '#/api/job-state.ts';
import type { Job } from '#/contract/jobs.ts';
import { marksReader } from './marks-reader.ts';
import type { Reading, Rule } from '#/features/jobs/rule.ts';
import { useRules } from './use-rules.ts';
import { countVerdicts, verdictOf, type Judgement, type VerdictCounts } from '#/features/jobs/verdict.ts';
import { enter } from './verdict-cache.ts';

export interface Verdicts {
  of: (job: Job) => Judgement;
  counts: VerdictCounts;
  /** Whether some of the output is still being searched; until then the service's state is shown. */
  busy: boolean;
}

// Jobs that did not change are the same objects, and two parts of a page may ask for the same ones.
const known = new WeakMap<Job, { rules: readonly Rule[]; reading: Reading }>();

const readingOf = (job: Job, rules: readonly Rule[]) => {
  const entry = known.get(job);
  return entry?.rules === rules ? entry.reading : undefined;
};

const hasEnded = (job: Job) => !['Waiting', 'Running', 'Cancelled'].includes(jobState(job));

/** Reads the output of jobs that share their rules; what was read is found by `readingOf`. */
export async function readVerdicts(
  jobs: readonly Job[],
  rules: readonly Rule[],
  signal: AbortSignal,
  onSome: () => void = () => undefined,
): Promise<void> {
  // Output that is still to come would be taken for none.
  const unread = jobs.filter((job) => hasEnded(job) && !isLean(job) && !readingOf(job, rules));
  const store = (read: [Job, Reading][]) => {
    for (const [job, reading] of read) known.set(job, { rules, reading });
    onSome();
  };
  await marksReader.read(unread, rules, store, signal);
}

export const judge = (job: Job, rules: readonly Rule[] | undefined): Judgement =>
  verdictOf(job, rules, rules && readingOf(job, rules));

/** `ruledAs`: the job whose artifact decides by which rules. */
function useJudged(jobs: readonly Job[], ruledAs: Job | undefined): Verdicts & { rules: readonly Rule[] | undefined } {
  const rulesOf = useRules();
  const [reads, setReads] = useState(0);
  const rules = ruledAs && rulesOf(ruledAs)?.rules;

  useEffect(() => {
    if (!rules) return;
    const leaving = new AbortController();
    void readVerdicts(jobs, rules, leaving.signal, () => setReads((count) => count + 1));
    return () => leaving.abort();
  }, [jobs, rules]);

  return useMemo(() => {
    // Counted up whenever more was read.
    void reads;
    const judged = new Map(jobs.map((job) => [job, judge(job, rules)]));
    const of = (job: Job) => judged.get(job) ?? judge(job, rules);
    const busy = rules !== undefined && jobs.some((job) => hasEnded(job) && !readingOf(job, rules));
    return { of, counts: countVerdicts(judged.values()), busy, rules };
  }, [jobs, rules, reads]);
}

/**
 * Of the children of a parent, all of them: other services do not repeat in a child what it runs. `jobs` must be the same
 * array as long as nothing in it changes.
 */
export function useVerdicts(jobs: readonly Job[], parent: Job): Verdicts {
  const verdicts = useJudged(jobs, parent);
  const { rules, busy, counts } = verdicts;
  const done = rules && !busy && jobs.length > 0 && !jobs.some(isMoving);
  useEffect(() => {
    if (done && parent.JobId) enter(parent.JobId, rules, { counts });
  }, [parent.JobId, done, rules, counts]);
  return verdicts;
}

const NONE: Job[] = [];

/** Of one job or child, whose whole output is at hand; undefined without one. `parent`: of a child, where it is known. */
export function useVerdict(job: Job | undefined, parent?: Job): Judgement | undefined {
  const jobs = useMemo(() => (job ? [job] : NONE), [job]);
  const { of, rules, busy, counts } = useJudged(jobs, parent ?? job);
  const judgement = job && of(job);
  const done = rules && !busy && job !== undefined && !isMoving(job);
  useEffect(() => {
    if (done && job.JobId) enter(job.JobId, rules, { counts, because: judgement?.because });
  }, [job, done, rules, counts, judgement]);
  return judgement;
}
