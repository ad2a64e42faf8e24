// The editor of outcome rules, which the account shares. Edited rules are tried on a log immediately.
import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Button, Group, Menu, Stack } from '@mantine/core';
import { IconChevronDown, IconPlus } from '@tabler/icons-react';
import type { Job } from '#/contract/jobs.ts';
import { MOST_RULES, ruleEndpoints, type Rule, type RuleSet } from '#/contract/rules.ts';
import { fieldErrors, hasStatus } from '#/api/api-error.ts';
import { ruleMutations, ruleQueries, rulesOf } from '#/api/rules.ts';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { DialogButtons } from '#/ui/dialog/dialog-buttons.tsx';
import { BaseDialog } from '#/ui/dialog/base-dialog.tsx';
import { useWrite } from '#/ui/dialog/use-write.ts';
import { FormError, View } from '#/ui/page/view.tsx';
import { PRESETS } from './presets.ts';
import { RuleReview } from './rule-faults.tsx';
import { RuleRow } from './rule-row.tsx';
import { RuleTrial } from './rule-trial.tsx';
import { EMPTY_RULE, useRuleDraft } from './use-rule-draft.ts';
import { useSamples } from './use-samples.ts';
import { useTrial } from './use-trial.ts';
import classes from './rules-dialog.module.css';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';

const NONE: readonly Rule[] = [];
/** The field name of a rule's mark in the service's errors. */
const fieldOf = (index: number) => `Rules.${index}.Find`;

interface RulesDialogProps {
  /** The name that the rules apply to: of an artifact without its version, of a workflow, or of a job. */
  name: string;
  /** The viewed job, and its opened device. */
  job?: Job | undefined;
  child?: string | undefined;
  onClose: () => void;
}

export function RulesDialog(props: RulesDialogProps) {
  const { name, onClose } = props;
  const reading = useQuery(ruleQueries.list());
  if (reading.data) return <Editor {...props} sets={reading.data} />;
  return (
    <BaseDialog centered={false} onClose={onClose} size={860} title={`Outcome rules of ${name}`}>
      <View query={reading} name="the rules" empty={null} rows={3}>
        {() => null}
      </View>
    </BaseDialog>
  );
}

function Editor({ name, job, child, onClose, sets }: RulesDialogProps & { sets: RuleSet[] }) {
  const saved = rulesOf(sets, name);
  const draft = useRuleDraft(saved?.Rules ?? NONE);
  const { isChanged } = draft;
  const full = draft.isFull ? `A name can have at most ${MOST_RULES} rules` : undefined;
  const noSave = useMay(ruleEndpoints.save, 'Changing outcome rules');
  const review = saved?.Review ?? [];
  const noReview = useMay(ruleEndpoints.save, 'Confirming outcome rules', { Reviewed: true });
  const confirms = review.length > 0 && noReview === undefined;
  // What somebody else changes while the dialog is open is replaced only after a refusal has said so.
  const [opened] = useState(saved);
  const [isRefused, setRefused] = useState(false);
  const write = useWrite(ruleMutations.save(name, isRefused ? saved : opened, confirms));
  const { mutate, error, isPending, variables: sent = NONE } = write;
  const samples = useSamples(name, job, child);
  const trial = useTrial(name, samples.sample, samples.parent, draft.valid);
  const refused = fieldErrors(
    error,
    sent.map((_, at) => fieldOf(at)),
  );
  /** Why the service did not save this rule, or cannot run the saved one. An edited rule is a new object. */
  const faultOf = (rule: Rule) =>
    refused[fieldOf(sent.indexOf(rule))] ??
    (saved?.Rules.includes(rule) && rule.Pattern
      ? saved.MustRewrite?.find(({ Find }) => Find === rule.Find)?.Fault
      : undefined);
  const isShownAtRule = draft.rows.some(({ rule }) => refused[fieldOf(sent.indexOf(rule))] !== undefined);
  const save = () => {
    const rules = draft.finished();
    // Faults found by the trial are shown at their rules.
    if (rules && !rules.some((rule) => trial.each?.get(rule)?.Fault))
      mutate(rules, { onSuccess: onClose, onError: (refusal) => setRefused((was) => was || hasStatus(refusal, 412)) });
  };
  return (
    <BaseDialog
      centered={false}
      onClose={onClose}
      busy={isPending}
      size={860}
      closeOnClickOutside={!isChanged}
      closeOnEscape={!isChanged}
      title={`Outcome rules of ${name}`}
    >
      <Stack gap="md">
        <p className="dim">
          For every version. The worst match in the output decides: rolled back, then failed, then succeeded. An exit
          code other than 0 is a failure; exit code 0 without any mark of success, where one is set, is no answer.
        </p>
        {review.length > 0 && <RuleReview review={review} className={classes.review} />}
        <ul className={classes.rules} aria-label="Rules">
          {draft.rows.map(({ key, rule }, index) => (
            <RuleRow
              key={key}
              rule={rule}
              number={index + 1}
              finding={trial.each?.get(rule)}
              fault={faultOf(rule)}
              strict={draft.isStrict}
              onChange={(next) => draft.change(key, next)}
              onRemove={() => draft.remove(key)}
            />
          ))}
        </ul>
        <Group gap="xs">
          <Gate why={full}>
            <Button
              size="xs"
              variant="default"
              leftSection={<IconPlus size={16} stroke={1.6} aria-hidden />}
              onClick={() => draft.add([EMPTY_RULE])}
            >
              Add a rule
            </Button>
          </Gate>
          <Menu position="bottom-start" shadow="none" withInitialFocusPlaceholder={false}>
            <Menu.Target>
              <Button size="xs" variant="default" rightSection={<IconChevronDown size={16} stroke={1.6} aria-hidden />}>
                Add common marks
              </Button>
            </Menu.Target>
            <Menu.Dropdown aria-label="Common marks">
              {PRESETS.map((preset) => (
                <Gate key={preset.name} why={full}>
                  <Menu.Item onClick={() => draft.add(preset.rules)}>{preset.name}</Menu.Item>
                </Gate>
              ))}
            </Menu.Dropdown>
          </Menu>
        </Group>
        <RuleTrial samples={samples} trial={trial} />
        <FormError error={isShownAtRule ? null : error} />
        <div className={classes.foot}>
          <p className="dim">
            {saved ? (
              <>
                Changed{saved.ChangedByName && ` with the token ${saved.ChangedByName}`}{' '}
                <Timestamp text={saved.ChangedTime} />.{' '}
              </>
            ) : null}
            {noSave ?? 'Shared by everybody of this account. Jobs that have ended are judged again.'}
          </p>
          <DialogButtons onCancel={onClose} busy={isPending}>
            <Gate why={noSave ?? (isChanged || confirms ? undefined : 'Nothing has changed')}>
              <Button variant="filled" onClick={save} loading={isPending}>
                {confirms ? 'Confirm and save' : 'Save rules'}
              </Button>
            </Gate>
          </DialogButtons>
        </div>
      </Stack>
    </BaseDialog>
  );
}
