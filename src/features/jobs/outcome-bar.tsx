// The states of a job's children: numbers with words, and a bar in the same order. In a list, where space is short, a
// legend opens over the bar.
import { formatCount } from '#/lib/format.ts';
import { awaitedBriefly } from './job-words.ts';
import { outcomeText, totalOf } from './outcome.ts';
import { VERDICTS, type VerdictCounts } from './verdict.ts';
import { useOutcomeLegend } from './outcome-legend.tsx';
import classes from './outcome-bar.module.css';

function Bar({ outcome }: { outcome: VerdictCounts }) {
  const total = totalOf(outcome);
  return (
    <span className={classes.bar} aria-hidden>
      {VERDICTS.filter((state) => outcome[state]).map((state) => (
        <span key={state} data-state={state} style={{ flexGrow: (outcome[state] ?? 0) / total }} />
      ))}
    </span>
  );
}

export function OutcomeBar({ outcome }: { outcome: VerdictCounts }) {
  return (
    <span className={classes.outcome} data-wide>
      <Bar outcome={outcome} />
      <span className={classes.words}>{outcomeText(outcome, formatCount) || 'No devices'}</span>
    </span>
  );
}

/** The bar in a row of a list. `of`: the job's name; `awaits`: from `awaitedOffline`. */
export function OutcomeCell({ outcome, of, awaits = 0 }: { outcome: VerdictCounts; of: string; awaits?: number }) {
  const text = outcomeText(outcome, formatCount);
  const name = `Outcome of ${of}: ${text}${awaits > 0 ? `. ${awaitedBriefly(awaits)}` : ''}`;
  const { legend, ...handlers } = useOutcomeLegend(outcome);
  return (
    <>
      <button type="button" className={classes.outcome} aria-label={name} {...handlers}>
        <Bar outcome={outcome} />
        <span className={classes.words}>{awaits > 0 ? awaitedBriefly(awaits) : text}</span>
      </button>
      {legend}
    </>
  );
}
