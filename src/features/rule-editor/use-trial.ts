// The verdicts of edited rules on a job and on all its devices, updated shortly after each change.
import { useEffect, useState } from 'react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ruleQueries } from '#/api/rules.ts';
import { jobState } from '#/contract/job-state.ts';
import type { Job } from '#/contract/jobs.ts';
import type { Rule, RuleFinding } from '#/contract/rules.ts';
import { judgementOf, verdictCountsOf, type Judgement, type VerdictCounts } from '#/features/jobs/verdict.ts';

const PAUSE = 250;

export interface Trial {
  /** Undefined until the first trial. */
  judgement?: Judgement;
  /** What each rule finds by itself. */
  each?: ReadonlyMap<Rule, RuleFinding>;
  /** Verdicts of the job's devices, and the number of these. */
  counts?: VerdictCounts | undefined;
  judged?: number;
  error: Error | null;
}

/** The last trial, until the next one completes. `parent`: set for a job to many devices. */
export function useTrial(
  name: string,
  sample: Job | undefined,
  parent: string | undefined,
  rules: readonly Rule[],
): Trial {
  const [settled, settle] = useState(rules);
  useEffect(() => {
    const timer = setTimeout(() => settle(rules), PAUSE);
    return () => clearTimeout(timer);
  }, [rules]);
  const one = useQuery({
    ...ruleQueries.trial(name, settled, sample?.JobId ?? ''),
    enabled: sample !== undefined,
    placeholderData: keepPreviousData,
  });
  const all = useQuery({
    ...ruleQueries.trial(name, settled, parent ?? ''),
    enabled: parent !== undefined,
    placeholderData: keepPreviousData,
  });
  const judgement = sample && one.data && judgementOf(one.data, jobState(sample));
  const error = one.error ?? all.error;
  if (!judgement) return { error };
  const { Each = [] } = one.data ?? {};
  const each = new Map(settled.flatMap((rule, at): [Rule, RuleFinding][] => (Each[at] ? [[rule, Each[at]]] : [])));
  return { judgement, each, counts: all.data && verdictCountsOf(all.data), judged: all.data?.Judged ?? 0, error };
}
