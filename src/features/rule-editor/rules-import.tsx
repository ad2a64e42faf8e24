// Rules from a file, before they are taken over: how many, and what becomes of names that have rules here already.
import { useState } from 'react';
import { Button, Group, Stack } from '@mantine/core';
import { mergeRuleSets, type Clash, type RuleSet } from '#/features/outcome-rules/rule-sets.ts';
import { counted } from '#/lib/format.ts';
import { SegmentedControl } from '#/ui/controls/segmented-control.tsx';
import classes from './rules-dialog.module.css';

interface RulesImportProps {
  mine: readonly RuleSet[];
  theirs: readonly RuleSet[];
  /** Rules in the file that are none. */
  leftOut: number;
  onImport: (sets: RuleSet[]) => void;
  onBack: () => void;
}

const CHOICES: { value: Clash; label: string }[] = [
  { value: 'both', label: 'Keep both' },
  { value: 'theirs', label: 'Use the file’s rules' },
  { value: 'mine', label: 'Keep mine' },
];

export function RulesImport({ mine, theirs, leftOut, onImport, onBack }: RulesImportProps) {
  const [clash, setClash] = useState<Clash>('both');
  const known = theirs.filter(({ name }) => mine.some((set) => set.name === name));
  const rules = theirs.reduce((sum, set) => sum + set.rules.length, 0);
  return (
    <Stack gap="md">
      <p>
        The file has {counted(rules, 'rule')} for {counted(theirs.length, 'name')}.
        {leftOut > 0 && ` ${counted(leftOut, 'entry', 'entries')} in it could not be read and will be left out.`}
      </p>
      <ul className={classes.names} aria-label="Names in the file">
        {theirs.map(({ name, rules: each }) => (
          <li key={name}>
            <span className="mono">{name}</span> <span className="dim">{counted(each.length, 'rule')}</span>
            {known.some((set) => set.name === name) && <span className="dim">, already has rules</span>}
          </li>
        ))}
      </ul>
      {known.length > 0 && (
        <div>
          <p className={classes.label} id="rules-clash">
            If a name already has rules
          </p>
          <SegmentedControl aria-labelledby="rules-clash" size="xs" value={clash} onChange={setClash} data={CHOICES} />
        </div>
      )}
      <Group justify="flex-end" gap="sm">
        <Button onClick={onBack}>Back</Button>
        <Button variant="filled" onClick={() => onImport(mergeRuleSets(mine, theirs, clash))}>
          Import
        </Button>
      </Group>
    </Stack>
  );
}
