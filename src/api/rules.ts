// Outcome rules, which the service stores for the whole account and judges jobs by.
import { mutationOptions } from '@tanstack/react-query';
import { ruleEndpoints, type Rule, type RuleSet } from '#/contract/rules.ts';
import { ApiError } from '#/api/api-error.ts';
import { call, callTagged } from '#/api/call.ts';
import { query } from '#/api/query.ts';
import { writeIfUnchanged } from '#/api/write-if-unchanged.ts';

const changed = { operation: ruleEndpoints.save };

export const rulesOf = (sets: readonly RuleSet[], name: string): RuleSet | undefined =>
  sets.find(({ ArtifactName }) => ArtifactName === name);

export const ruleQueries = {
  list: () => query(ruleEndpoints.list, {}),
  /** The verdict of these rules on an ended job. */
  trial: (artifact_name: string, Rules: readonly Rule[], JobId: string) =>
    query(ruleEndpoints.try, { params: { artifact_name }, body: { Rules: [...Rules], JobId } }, { staleTime: 60_000 }),
};

const saveRules = (
  artifact_name: string,
  Rules: readonly Rule[],
  { before, Reviewed }: { before: RuleSet | undefined; Reviewed: boolean },
): Promise<void> =>
  writeIfUnchanged({
    read: () => callTagged(ruleEndpoints.list, {}),
    find: (sets) => rulesOf(sets, artifact_name),
    before,
    send: (headers) =>
      call(ruleEndpoints.save, { params: { artifact_name }, body: { Rules: [...Rules], Reviewed } }, { headers }),
    refused: (now) =>
      new ApiError('refused', `The rules of ${artifact_name} were ${now ? 'changed' : 'removed'} meanwhile`, {
        status: 412,
        detail: 'Nothing was saved. Saving again replaces them.',
      }),
  });

export const ruleMutations = {
  /** `before`: the rules as they were shown. `Reviewed` confirms those that an earlier version read differently. */
  save: (name: string, before: RuleSet | undefined, Reviewed: boolean) =>
    mutationOptions({
      mutationFn: (rules: readonly Rule[]) => saveRules(name, rules, { before, Reviewed }),
      meta: changed,
    }),
};
