// The outcome rules of a name, to read: which mark in the output means what.
import { useQuery } from '@tanstack/react-query';
import { ruleQueries, rulesOf } from '#/api/rules.ts';
import type { Rule } from '#/contract/rules.ts';
import { wordOf } from '#/features/jobs/verdict.ts';
import { visible } from '#/lib/glyphs.ts';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { View } from '#/ui/page/view.tsx';
import classes from './rule-list.module.css';

/** How the mark is searched, beyond plain text in any stream. */
const howText = ({ Pattern, CaseSensitive, Stream }: Rule): string =>
  [Pattern && 'pattern', CaseSensitive && 'in this case', Stream !== 'both' && `in ${Stream}`]
    .filter(Boolean)
    .join(', ');

export function RuleList({ name }: { name: string }) {
  const reading = useQuery(ruleQueries.list());
  return (
    <View
      query={reading}
      name="the rules"
      rows={2}
      isEmpty={(sets) => (rulesOf(sets, name)?.Rules.length ?? 0) === 0}
      empty={<p className="dim">No rules: a job succeeds if it exits with 0.</p>}
    >
      {(sets) => (
        <ul className={classes.list} aria-label="Outcome rules">
          {rulesOf(sets, name)?.Rules.map((rule) => (
            <li key={`${rule.Verdict} ${rule.Stream} ${rule.Find}`}>
              <StateMark state={wordOf(rule.Verdict)} />
              <code>{visible(rule.Find)}</code>
              <span className="dim">{howText(rule)}</span>
            </li>
          ))}
        </ul>
      )}
    </View>
  );
}
