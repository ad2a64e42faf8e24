// The editor of one rule: the mark, how it is matched, and what it finds in the sample log.
import { NativeSelect, TextInput } from '@mantine/core';
import { IconLetterCase, IconRegex, IconTrash } from '@tabler/icons-react';
import { IconButton } from '#/ui/controls/icon-button.tsx';
import { RULE_STREAMS, RULE_VERDICTS, ruleFault, type Rule, type RuleFinding } from '#/contract/rules.ts';
import { wordOf } from '#/features/jobs/verdict.ts';
import { visible } from '#/lib/glyphs.ts';
import classes from './rules-dialog.module.css';

interface RuleRowProps {
  rule: Rule;
  /** From 1. */
  number: number;
  finding: RuleFinding | undefined;
  /** The service's error about the rule, if its trial reports none. */
  fault: string | undefined;
  /** Whether an empty field counts as an error, which it does not in an untouched new row. */
  strict: boolean;
  onChange: (rule: Rule) => void;
  onRemove: () => void;
}

const STREAM_WORDS = { both: 'Both streams', stdout: 'stdout', stderr: 'stderr' };

const toggle = (on: boolean) => ({
  size: 30,
  'aria-pressed': on,
  ...(on && { variant: 'light', color: 'indigo' }),
});

export function RuleRow({ rule, number, finding, fault: serviceFault, strict, onChange, onRemove }: RuleRowProps) {
  const fault = strict || rule.Find !== '' ? (ruleFault(rule) ?? finding?.Fault ?? serviceFault) : undefined;
  return (
    <li className={classes.rule} aria-label={`Rule ${number}`}>
      <TextInput
        size="xs"
        className={classes.find}
        aria-label={`Mark of rule ${number}`}
        placeholder={rule.Pattern ? 'A pattern, for one line' : 'Text in a line of the log'}
        value={rule.Find}
        error={fault}
        onChange={(event) => onChange({ ...rule, Find: event.currentTarget.value })}
        spellCheck={false}
        autoComplete="off"
        {...(rule.Find === '' ? { 'data-autofocus': true } : {})}
      />
      <IconButton
        {...toggle(rule.CaseSensitive)}
        icon={IconLetterCase}
        label="Match case"
        onClick={() => onChange({ ...rule, CaseSensitive: !rule.CaseSensitive })}
      />
      <IconButton
        {...toggle(rule.Pattern)}
        icon={IconRegex}
        label="Pattern (regular expression)"
        onClick={() => onChange({ ...rule, Pattern: !rule.Pattern })}
      />
      <NativeSelect
        size="xs"
        aria-label={`Stream of rule ${number}`}
        value={rule.Stream}
        onChange={(event) =>
          onChange({ ...rule, Stream: RULE_STREAMS.find((each) => each === event.currentTarget.value) ?? 'both' })
        }
        data={RULE_STREAMS.map((value) => ({ value, label: STREAM_WORDS[value] }))}
      />
      <NativeSelect
        size="xs"
        aria-label={`Meaning of rule ${number}`}
        value={rule.Verdict}
        onChange={(event) =>
          onChange({
            ...rule,
            Verdict: RULE_VERDICTS.find((each) => each === event.currentTarget.value) ?? rule.Verdict,
          })
        }
        data={RULE_VERDICTS.toReversed().map((value) => ({ value, label: wordOf(value) }))}
      />
      <IconButton icon={IconTrash} label={`Remove rule ${number}`} title="Remove" onClick={onRemove} />
      {!fault && rule.Find !== '' && finding && <p className={classes.hit}>{hitText(finding)}</p>}
    </li>
  );
}

function hitText({ Stream, Line, Text = '', Untried }: RuleFinding): string {
  if (Untried) return `Could not be tried: ${Untried}`;
  if (Line === undefined) return 'Not in this log';
  return `Line ${Line}${Stream === 'stderr' ? ' of stderr' : ''}: ${visible(Text.trim())}`;
}
