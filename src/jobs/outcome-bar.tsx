// How the children of a job stand: words with numbers first, and a bar in the same order.
import { formatCount } from '#/ui/format.ts';
import { STATES, outcomeText, totalOf } from './outcome.ts';
import type { Outcome } from './outcome.ts';
import classes from './outcome-bar.module.css';

export function OutcomeBar({ outcome, wide = false }: { outcome: Outcome; wide?: boolean }) {
  const total = totalOf(outcome);
  const text = outcomeText(outcome, formatCount);
  return (
    <span className={classes['outcome']} data-wide={wide || undefined} title={text}>
      <span className={classes['bar']} aria-hidden>
        {STATES.filter((state) => outcome[state]).map((state) => (
          <span key={state} data-state={state} style={{ flexGrow: (outcome[state] ?? 0) / total }} />
        ))}
      </span>
      <span className={classes['words']}>{text || 'No devices'}</span>
    </span>
  );
}
