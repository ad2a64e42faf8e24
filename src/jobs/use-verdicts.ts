// The verdicts of jobs whose output is at hand. Nothing of them is stored: with other rules they are others.
import { useMemo } from 'react';
import type { Job } from '#/contract/jobs.ts';
import { countVerdicts, verdictOf } from './verdict.ts';
import type { Judgement, VerdictCounts } from './verdict.ts';
import { useRules } from './rules/use-rules.ts';

export interface Verdicts {
  of: (job: Job) => Judgement;
  counts: VerdictCounts;
  /** Whether some of the output is still being searched; what is said of it until then is the service's word. */
  busy: boolean;
  /** Whether any of the jobs goes by rules. */
  ruled: boolean;
}

/**
 * `jobs` must be the same array as long as nothing in it changes. `parent`: whose children they are, since other services
 * do not repeat in a child what it runs.
 */
export function useVerdicts(jobs: readonly Job[], parent?: Job): Verdicts {
  const rulesOf = useRules();
  return useMemo(() => {
    const judged = new Map(jobs.map((job) => [job, verdictOf(job, [])]));
    const of = (job: Job) => judged.get(job) ?? verdictOf(job, []);
    const ruled = jobs.some((job) => rulesOf(parent ?? job));
    return { of, counts: countVerdicts(judged.values()), busy: false, ruled };
  }, [jobs, parent, rulesOf]);
}
