// The editor of outcome rules: tried at once on a log, stored in this browser, exported and imported as a file.
import { useState } from 'react';
import { Button, Group, Menu, Stack } from '@mantine/core';
import { IconChevronDown, IconPlus } from '@tabler/icons-react';
import type { Job } from '#/contract/jobs.ts';
import { MOST_RULES, parseRuleSets, printRuleSets, type RuleSet } from '#/features/outcome-rules/rule-sets.ts';
import { BrowseButton } from '#/ui/form/drop-area.tsx';
import { saveFile } from '#/lib/save-file.ts';
import { DialogButtons } from '#/ui/dialog/dialog-buttons.tsx';
import { BaseDialog } from '#/ui/dialog/base-dialog.tsx';
import { FormError } from '#/ui/page/view.tsx';
import { PRESETS } from './presets.ts';
import { RuleRow } from './rule-row.tsx';
import { RuleTrial } from './rule-trial.tsx';
import { RulesImport } from './rules-import.tsx';
import { EMPTY_RULE, useRuleDraft } from './use-rule-draft.ts';
import { useSamples } from './use-samples.ts';
import { useTrial } from './use-trial.ts';
import classes from './rules-dialog.module.css';

/** A file of rules is a few kilobytes. */
const LARGEST_FILE = 5_000_000;

interface RulesDialogProps {
  /** What the rules are for: the name of an artifact without its version, of a workflow, or of a job. */
  name: string;
  /** The job that is looked at, and the opened device of it. */
  job?: Job | undefined;
  child?: string | undefined;
  onClose: () => void;
}

export function RulesDialog({ name, job, child, onClose }: RulesDialogProps) {
  const draft = useRuleDraft(name);
  const { sets, isChanged, isFull } = draft;
  const [incoming, setIncoming] = useState<{ sets: RuleSet[]; leftOut: number }>();
  const [error, setError] = useState<Error | null>(null);
  const samples = useSamples(name, job, child);
  const trial = useTrial(samples.sample, samples.all, draft.valid);

  const save = () => {
    const isStored = draft.save();
    if (isStored) onClose();
    else if (isStored === false)
      setError(new Error('This browser blocks storage: the rules last until you leave this page.'));
  };
  const read = async ([file]: File[]) => {
    const parsed = file && file.size <= LARGEST_FILE ? parseRuleSets(await file.text()) : undefined;
    if (parsed && parsed.sets.length > 0) {
      setIncoming(parsed);
      setError(null);
    } else setError(new Error(`${file?.name ?? 'It'} is no file of outcome rules, or has none that can be read.`));
  };

  return (
    <BaseDialog
      centered={false}
      onClose={onClose}
      size={860}
      closeOnClickOutside={!isChanged}
      closeOnEscape={!isChanged}
      title={incoming ? 'Import outcome rules' : `Outcome rules of ${name}`}
    >
      {incoming ? (
        <RulesImport
          mine={sets}
          theirs={incoming.sets}
          leftOut={incoming.leftOut}
          onBack={() => setIncoming(undefined)}
          onImport={(merged) => {
            if (!draft.importSets(merged)) setError(new Error('This browser blocks storage.'));
            setIncoming(undefined);
          }}
        />
      ) : (
        <Stack gap="md">
          <p className="dim">
            For every version. The worst match in the output decides: rolled back, then failed, then succeeded. An exit
            code other than 0 is a failure; exit code 0 without any mark of success, where one is set, is no answer.
          </p>
          <ul className={classes.rules} aria-label="Rules">
            {draft.rows.map(({ key, rule }, index) => (
              <RuleRow
                key={key}
                rule={rule}
                number={index + 1}
                reading={trial?.each.get(rule)}
                strict={draft.isStrict}
                onChange={(next) => draft.change(key, next)}
                onRemove={() => draft.remove(key)}
              />
            ))}
          </ul>
          <Group gap="xs">
            <Button
              size="xs"
              variant="default"
              leftSection={<IconPlus size={16} stroke={1.6} aria-hidden />}
              disabled={isFull}
              title={isFull ? `A name can have at most ${MOST_RULES} rules` : undefined}
              onClick={() => draft.add([EMPTY_RULE])}
            >
              Add a rule
            </Button>
            <Menu position="bottom-start" shadow="none" withInitialFocusPlaceholder={false}>
              <Menu.Target>
                <Button
                  size="xs"
                  variant="default"
                  disabled={isFull}
                  rightSection={<IconChevronDown size={16} stroke={1.6} aria-hidden />}
                >
                  Add common marks
                </Button>
              </Menu.Target>
              <Menu.Dropdown aria-label="Common marks">
                {PRESETS.map((preset) => (
                  <Menu.Item key={preset.name} onClick={() => draft.add(preset.rules)}>
                    {preset.name}
                  </Menu.Item>
                ))}
              </Menu.Dropdown>
            </Menu>
          </Group>
          <RuleTrial samples={samples} trial={trial} />
          <FormError error={error} />
          <div className={classes.foot}>
            <Group gap="xs">
              <BrowseButton
                label="File of outcome rules"
                accept=".json,application/json"
                onChoose={(files) => void read(files)}
              >
                Import…
              </BrowseButton>
              <Button
                variant="default"
                disabled={sets.length === 0}
                title={sets.length === 0 ? 'There are no rules yet' : 'The rules of all names, as a file'}
                onClick={() => saveFile('outcome-rules.json', printRuleSets(sets, 2), 'application/json')}
              >
                Export all
              </Button>
            </Group>
            <DialogButtons onCancel={onClose}>
              <Button
                variant="filled"
                onClick={save}
                disabled={!isChanged}
                title={isChanged ? undefined : 'Nothing has changed'}
              >
                Save rules
              </Button>
            </DialogButtons>
          </div>
          <p className={classes.stored}>
            Stored in this browser for your account. They also apply to jobs that have ended; nothing changes on the
            service.
          </p>
        </Stack>
      )}
    </BaseDialog>
  );
}
