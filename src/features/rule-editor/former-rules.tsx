// Rules that an earlier version stored in this browser, until the service has them.
import { useMutation } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import * as z from 'zod/mini';
import { RULE_STREAMS, type Rule, type RuleSet } from '#/contract/rules.ts';
import { ruleMutations, rulesOf } from '#/api/rules.ts';
import { counted } from '#/lib/format.ts';
import { json, stored } from '#/lib/stored.ts';
import { FormError } from '#/ui/page/view.tsx';
import { useStore } from '#/ui/state/use-store.ts';
import classes from './rules-dialog.module.css';

const VERDICTS: Readonly<Record<string, Rule['Verdict']>> = {
  Succeeded: 'Succeeded',
  Failed: 'Failed',
  'Rolled back': 'RolledBack',
};
const NONE = { format: 'muster-outcome-rules', version: 1, sets: [] };
const formerSets = stored(
  'muster-outcome-rules',
  NONE,
  json(
    z.object({
      format: z.string(),
      version: z.number(),
      sets: z.array(
        z.object({
          name: z.string(),
          rules: z.array(
            z.object({
              find: z.string(),
              pattern: z.boolean(),
              caseSensitive: z.boolean(),
              stream: z.enum(RULE_STREAMS),
              verdict: z.string(),
            }),
          ),
        }),
      ),
    }),
  ),
);

/** Offers to move those whose names have no rules in the service. */
export function FormerRules({ saved }: { saved: readonly RuleSet[] }) {
  const former = useStore(formerSets)
    .sets.filter(({ name }) => !rulesOf(saved, name))
    .map(({ name, rules }) => ({
      ArtifactName: name,
      Rules: rules.flatMap(({ find, pattern, caseSensitive, stream, verdict }): Rule[] => {
        const Verdict = VERDICTS[verdict];
        return Verdict ? [{ Find: find, Pattern: pattern, CaseSensitive: caseSensitive, Stream: stream, Verdict }] : [];
      }),
    }));
  const move = useMutation({ ...ruleMutations.add(), onSuccess: () => formerSets.set(NONE) });
  if (former.length === 0) return null;
  return (
    <div className={classes.former}>
      <p>
        Rules of {counted(former.length, 'name')} are only in this browser:{' '}
        {former.map((set) => set.ArtifactName).join(', ')}.
      </p>
      <Button size="xs" variant="default" loading={move.isPending} onClick={() => move.mutate(former)}>
        Move them to the service
      </Button>
      <FormError error={move.error} />
    </div>
  );
}
