// The rules that a job goes by: those of its artifact's name in all versions, of its workflow, or of its own name.
import { useCallback, useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { artifactQueries } from '#/api/artifacts.ts';
import { workflowQueries } from '#/api/workflows.ts';
import type { Job } from '#/contract/jobs.ts';
import { ruleNameOf } from './rule-name.ts';
import { useRuleStore } from './rule-store.ts';
import type { RuleSet } from './rule-sets.ts';

type Ran = Pick<Job, 'ArtifactId' | 'WorkflowId' | 'JobName'>;

/** The name that rules for a job are kept under; stays the same function as long as the lists do. */
function useRuleName(wanted = true): (job: Ran) => string {
  const artifacts = useQuery({ ...artifactQueries.list(), enabled: wanted }).data;
  const workflows = useQuery({ ...workflowQueries.list(), enabled: wanted }).data;
  const names = useMemo(
    () =>
      new Map([
        ...(artifacts ?? []).map(({ ArtifactId, Name, Version }) => [ArtifactId, ruleNameOf(Name, Version)] as const),
        ...(workflows ?? []).map(({ WorkflowId, Name }) => [WorkflowId, Name] as const),
      ]),
    [artifacts, workflows],
  );
  return useCallback(
    ({ ArtifactId, WorkflowId, JobName }) => names.get(ArtifactId || WorkflowId || '') ?? JobName,
    [names],
  );
}

/** Finds the rules of a job; without any rules nothing is read for it. */
export function useRules(): (job: Ran) => RuleSet | undefined {
  const { sets } = useRuleStore();
  const nameOf = useRuleName(sets.length > 0);
  return useCallback(
    (job) => {
      if (sets.length === 0) return undefined;
      const name = nameOf(job);
      return sets.find((set) => set.name === name);
    },
    [sets, nameOf],
  );
}
