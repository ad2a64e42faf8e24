// The rules of one name while they are edited, next to those that are stored.
import { useMemo, useState } from 'react';
import { sameRule, type Rule } from '#/features/jobs/rule.ts';
import { MOST_RULES, ruleSets, saveRuleSets, withRules, type RuleSet } from '#/features/outcome-rules/rule-sets.ts';
import { useStore } from '#/ui/state/use-store.ts';
import { faultOf } from './rule-row.tsx';

interface DraftRow {
  key: number;
  rule: Rule;
}

export const EMPTY_RULE: Rule = {
  find: '',
  pattern: false,
  caseSensitive: false,
  stream: 'both',
  verdict: 'Succeeded',
};
const NONE: readonly Rule[] = [];

let keys = 0;
const rowsOf = (rules: readonly Rule[]): DraftRow[] => rules.map((rule) => ({ key: ++keys, rule }));
const isSame = (one: readonly Rule[], two: readonly Rule[]) =>
  one.length === two.length && one.every((rule, index) => sameRule(rule, two[index]!));

export function useRuleDraft(name: string) {
  const sets = useStore(ruleSets);
  const saved = sets.find((set) => set.name === name)?.rules ?? NONE;
  const [rows, setRows] = useState(() => rowsOf(saved.length > 0 ? saved : [EMPTY_RULE]));
  const [strict, setStrict] = useState(false);
  const valid = useMemo(() => rows.map(({ rule }) => rule).filter((rule) => faultOf(rule) === undefined), [rows]);
  const written = rows.map(({ rule }) => rule).filter(({ find }) => find.trim() !== '');
  const isChanged = !isSame(written, saved);
  return {
    /** Of all names. */
    sets,
    rows,
    /** The rules that can be tried. */
    valid,
    isChanged,
    isFull: rows.length >= MOST_RULES,
    /** Whether saving was tried, so that empty fields count as faults. */
    isStrict: strict && isChanged,
    add: (rules: readonly Rule[]) =>
      setRows((now) => [...now.filter(({ rule }) => rule.find !== ''), ...rowsOf(rules)].slice(0, MOST_RULES)),
    change: (key: number, rule: Rule) => setRows((now) => now.map((row) => (row.key === key ? { key, rule } : row))),
    remove: (key: number) => setRows((now) => now.filter((row) => row.key !== key)),
    /** Whether the browser stored it; undefined where a rule has a fault. */
    save: (): boolean | undefined => {
      setStrict(true);
      if (written.some((rule) => faultOf(rule) !== undefined)) return undefined;
      return saveRuleSets(withRules(sets, name, written));
    },
    /** Stores sets that were imported, and edits those of this name. */
    importSets: (merged: RuleSet[]): boolean => {
      setRows(rowsOf(merged.find((set) => set.name === name)?.rules ?? [EMPTY_RULE]));
      return saveRuleSets(merged);
    },
  };
}
