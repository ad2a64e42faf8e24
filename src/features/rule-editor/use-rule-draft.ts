// The rules of one name being edited, and how they differ from the saved ones.
import { useMemo, useState } from 'react';
import { MOST_RULES, ruleFault, type Rule } from '#/contract/rules.ts';

interface DraftRow {
  key: number;
  rule: Rule;
}

export const EMPTY_RULE: Rule = {
  Find: '',
  Pattern: false,
  CaseSensitive: false,
  Stream: 'both',
  Verdict: 'Succeeded',
};

const FIELDS = ['Find', 'Pattern', 'CaseSensitive', 'Stream', 'Verdict'] as const;
const isSame = (one: readonly Rule[], two: readonly Rule[]) =>
  one.length === two.length && one.every((rule, at) => FIELDS.every((field) => rule[field] === two[at]?.[field]));

let keys = 0;
const rowsOf = (rules: readonly Rule[]): DraftRow[] => rules.map((rule) => ({ key: ++keys, rule }));

export function useRuleDraft(saved: readonly Rule[]) {
  const [rows, setRows] = useState(() => rowsOf(saved.length > 0 ? saved : [EMPTY_RULE]));
  const [strict, setStrict] = useState(false);
  const valid = useMemo(() => rows.map(({ rule }) => rule).filter((rule) => ruleFault(rule) === undefined), [rows]);
  const written = rows.map(({ rule }) => rule).filter(({ Find }) => Find.trim() !== '');
  const isChanged = !isSame(written, saved);
  return {
    rows,
    /** The rules that can be tried. */
    valid,
    isChanged,
    isFull: rows.length >= MOST_RULES,
    /** Whether saving was attempted, so that empty fields count as errors. */
    isStrict: strict && isChanged,
    add: (rules: readonly Rule[]) =>
      setRows((now) => [...now.filter(({ rule }) => rule.Find !== ''), ...rowsOf(rules)].slice(0, MOST_RULES)),
    change: (key: number, rule: Rule) => setRows((now) => now.map((row) => (row.key === key ? { key, rule } : row))),
    remove: (key: number) => setRows((now) => now.filter((row) => row.key !== key)),
    /** The rules to save; undefined if one is invalid. */
    finished: (): readonly Rule[] | undefined => {
      setStrict(true);
      return written.some((rule) => ruleFault(rule) !== undefined) ? undefined : written;
    },
  };
}
