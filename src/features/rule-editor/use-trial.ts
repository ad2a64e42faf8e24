// The verdicts of rules that are being edited, on a job and on all that are loaded with it: live, a moment after each
// change.
import { useEffect, useState } from 'react';
import { isMoving } from '#/api/job-state.ts';
import type { Job } from '#/contract/jobs.ts';
import { MarksReader } from '#/features/outcome-rules/marks-reader.ts';
import type { Reading, Rule } from '#/features/jobs/rule.ts';
import { countVerdicts, verdictOf, type Judgement, type VerdictCounts } from '#/features/jobs/verdict.ts';

/** Apart from the reader of the page: a half-written pattern must not hold up what is shown there. */
const reader = new MarksReader(1_000);
const PAUSE = 250;

export interface Trial {
  sample: Job;
  judgement: Judgement;
  /** What each rule finds by itself. */
  each: ReadonlyMap<Rule, Reading>;
  /** Of all the jobs. */
  counts: VerdictCounts;
}

/** Undefined until the first trial is done; then the last one, until the next. */
export function useTrial(sample: Job | undefined, jobs: readonly Job[], rules: readonly Rule[]): Trial | undefined {
  const [trial, setTrial] = useState<Trial>();
  useEffect(() => {
    if (!sample) return;
    const leaving = new AbortController();
    const { signal } = leaving;
    const read = async () => {
      const readings = new Map<Job, Reading>();
      const each = new Map<Rule, Reading>();
      const nothing: Reading = { found: undefined, untried: undefined };
      for (const rule of rules) await reader.read([sample], [rule], ([one]) => one && each.set(rule, one[1]), signal);
      const others = jobs.filter((job) => job !== sample && !isMoving(job));
      const store = (some: [Job, Reading][]) => {
        for (const [job, reading] of some) readings.set(job, reading);
      };
      await reader.read([sample, ...others], rules, store, signal);
      if (signal.aborted) return;
      const judgement = verdictOf(sample, rules, readings.get(sample) ?? nothing);
      const judged = jobs.map((job) => verdictOf(job, rules, readings.get(job)));
      setTrial({ sample, judgement, each, counts: countVerdicts(judged) });
    };
    const timer = setTimeout(() => void read(), PAUSE);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [sample, jobs, rules]);
  return trial?.sample === sample ? trial : undefined;
}
