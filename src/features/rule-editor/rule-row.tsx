// One rule as it is written: the mark, how it is meant, and what it finds in the log it is tried on.
import { NativeSelect, TextInput } from '@mantine/core';
import { IconLetterCase, IconRegex, IconTrash } from '@tabler/icons-react';
import { IconButton } from '#/ui/controls/icon-button.tsx';
import { rulePatternOf } from '#/features/outcome-rules/read-marks.ts';
import { RULED, RULE_STREAMS, type Reading, type Rule } from '#/features/jobs/rule.ts';
import { LONGEST_FIND } from '#/features/outcome-rules/rule-sets.ts';
import { visible } from '#/lib/glyphs.ts';
import classes from './rules-dialog.module.css';

/** Why a rule cannot be saved, in words. */
export function faultOf(rule: Rule): string | undefined {
  if (rule.find.trim() === '') return 'Enter text to find in the log';
  if (rule.find.length > LONGEST_FIND) return `Longer than ${LONGEST_FIND} characters`;
  if (!rule.pattern) return undefined;
  const pattern = rulePatternOf(rule);
  if (typeof pattern === 'string') return `${pattern.charAt(0).toUpperCase()}${pattern.slice(1)}`;
  return pattern.test('') ? 'This pattern matches every line' : undefined;
}

interface RuleRowProps {
  rule: Rule;
  /** From 1. */
  number: number;
  reading: Reading | undefined;
  /** Whether the fault of an empty field is shown: not while a new row is untouched. */
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

export function RuleRow({ rule, number, reading, strict, onChange, onRemove }: RuleRowProps) {
  const fault = strict || rule.find !== '' ? faultOf(rule) : undefined;
  return (
    <li className={classes.rule} aria-label={`Rule ${number}`}>
      <TextInput
        size="xs"
        className={classes.find}
        aria-label={`Mark of rule ${number}`}
        placeholder={rule.pattern ? 'A pattern, for one line' : 'Text in a line of the log'}
        value={rule.find}
        error={fault}
        onChange={(event) => onChange({ ...rule, find: event.currentTarget.value })}
        spellCheck={false}
        autoComplete="off"
        {...(rule.find === '' ? { 'data-autofocus': true } : {})}
      />
      <IconButton
        {...toggle(rule.caseSensitive)}
        icon={IconLetterCase}
        label="Match case"
        onClick={() => onChange({ ...rule, caseSensitive: !rule.caseSensitive })}
      />
      <IconButton
        {...toggle(rule.pattern)}
        icon={IconRegex}
        label="Pattern (regular expression)"
        onClick={() => onChange({ ...rule, pattern: !rule.pattern })}
      />
      <NativeSelect
        size="xs"
        aria-label={`Stream of rule ${number}`}
        value={rule.stream}
        onChange={(event) =>
          onChange({ ...rule, stream: RULE_STREAMS.find((each) => each === event.currentTarget.value) ?? 'both' })
        }
        data={RULE_STREAMS.map((value) => ({ value, label: STREAM_WORDS[value] }))}
      />
      <NativeSelect
        size="xs"
        aria-label={`Meaning of rule ${number}`}
        value={rule.verdict}
        onChange={(event) =>
          onChange({ ...rule, verdict: RULED.find((each) => each === event.currentTarget.value) ?? rule.verdict })
        }
        data={RULED.toReversed().map((value) => ({ value, label: value }))}
      />
      <IconButton icon={IconTrash} label={`Remove rule ${number}`} title="Remove" onClick={onRemove} />
      {!fault && rule.find !== '' && reading && <p className={classes.hit}>{hitText(reading)}</p>}
    </li>
  );
}

function hitText({ found, untried }: Reading): string {
  if (untried) return `Could not be tried: ${untried.why}`;
  if (!found) return 'Not in this log';
  const { position, text } = found;
  return `${position ? `Line ${position.line}${position.stream === 'stderr' ? ' of stderr' : ''}` : 'Near the end'}: ${visible(text.trim())}`;
}
