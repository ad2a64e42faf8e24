// How the children of a job stand: words with numbers first, and a bar in the same order. In a list, where there is room
// for little of it, a legend opens over it.
import { formatCount } from '#/ui/format.ts';
import { STATES, outcomeText, totalOf } from './outcome.ts';
import type { Outcome } from './outcome.ts';
import { useOutcomeLegend } from './outcome-legend.tsx';
import classes from './outcome-bar.module.css';

function Bar({ outcome }: { outcome: Outcome }) {
  const total = totalOf(outcome);
  return (
    <span className={classes['bar']} aria-hidden>
      {STATES.filter((state) => outcome[state]).map((state) => (
        <span key={state} data-state={state} style={{ flexGrow: (outcome[state] ?? 0) / total }} />
      ))}
    </span>
  );
}

export function OutcomeBar({ outcome }: { outcome: Outcome }) {
  return (
    <span className={classes['outcome']} data-wide>
      <Bar outcome={outcome} />
      <span className={classes['words']}>{outcomeText(outcome, formatCount) || 'No devices'}</span>
    </span>
  );
}

/** The same in a row of a list. `of`: what the job is called. */
export function OutcomeCell({ outcome, of }: { outcome: Outcome; of: string }) {
  const text = outcomeText(outcome, formatCount);
  const { legend, ...handlers } = useOutcomeLegend(outcome);
  return (
    <>
      <button type="button" className={classes['outcome']} aria-label={`Outcome of ${of}: ${text}`} {...handlers}>
        <Bar outcome={outcome} />
        <span className={classes['words']}>{text}</span>
      </button>
      {legend}
    </>
  );
}
