// The rules that a job goes by: those of its artifact's name in all versions, of its workflow, or of its own name.
import { useCallback, useMemo, useEffect } from 'react';
import { useQuery } from '@tanstack/react-query';
import { artifactQueries } from '#/api/artifacts.ts';
import { workflowQueries } from '#/api/workflows.ts';
import type { Job } from '#/contract/jobs.ts';
import { ruleNameOf } from '#/contract/rule-name.ts';
import { useStore } from '#/ui/state/use-store.ts';
import { ruleSets, type RuleSet } from './rule-sets.ts';
import * as z from 'zod/mini';
import { currentAccount, json, stored } from '#/lib/stored.ts';

/** Names that are remembered, the latest; one entry is some fifty characters. */
const MOST = 1000;

const storedNames = stored('muster-rule-names', [], json(z.array(z.tuple([z.string(), z.string()]))));

/**
 * Names by the ids of artifacts and workflows that had rules when they were last seen. `names`: those there are now.
 * Deleting an old version would otherwise turn its rollbacks back into successes in the list.
 */
function useRememberedNames(names: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const account = useStore(currentAccount);
  const sets = useStore(ruleSets);
  const known = useMemo(() => {
    void account; // Another account has other names.
    const ruled = new Set(sets.map(({ name }) => name));
    return new Map([...storedNames.get(), ...[...names].filter(([, name]) => ruled.has(name))].slice(-MOST));
  }, [account, names, sets]);
  useEffect(() => {
    if (known.size > 0) storedNames.set([...known]);
  }, [known]);
  return known;
}

type Ran = Pick<Job, 'ArtifactId' | 'WorkflowId' | 'JobName'>;

/**
 * The name under which rules for a job are stored; undefined while that is being looked up. Stays the same function as
 * long as the lists do.
 */
export function useRuleName(wanted = true): (job: Ran) => string | undefined {
  const artifacts = useQuery({ ...artifactQueries.list(), enabled: wanted });
  const workflows = useQuery({ ...workflowQueries.list(), enabled: wanted });
  const names = useMemo(
    () =>
      new Map([
        ...(artifacts.data ?? []).map((each) => [each.ArtifactId, ruleNameOf(each.Name, each.Version)] as const),
        ...(workflows.data ?? []).map(({ WorkflowId, Name }) => [WorkflowId, Name] as const),
      ]),
    [artifacts.data, workflows.data],
  );
  const remembered = useRememberedNames(names);
  const known = !artifacts.isPending && !workflows.isPending;
  return useCallback(
    ({ ArtifactId, WorkflowId, JobName }) => {
      const id = ArtifactId || WorkflowId;
      if (!id) return JobName;
      return names.get(id) ?? remembered.get(id) ?? (known ? JobName : undefined);
    },
    [names, remembered, known],
  );
}

/** Finds the rules of a job; without any rules nothing is read for it. */
export function useRules(): (job: Ran) => RuleSet | undefined {
  const sets = useStore(ruleSets);
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
