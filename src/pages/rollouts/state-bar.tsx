// The states of devices: a bar, and the same in words.
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { formatCount } from '#/lib/format.ts';
import { rolloutCountsText, deviceWords, stateCounts } from './rollout-words.ts';
import classes from './rollouts.module.css';

interface StateBarProps {
  counts: Readonly<Record<string, number>>;
  /** With a mark and a line for each state. */
  isLong?: boolean;
}

export function StateBar({ counts, isLong = false }: StateBarProps) {
  const states = stateCounts(counts);
  return (
    <div className={classes.states}>
      <span className={classes.bar} aria-hidden>
        {states.map(({ state, count }) => (
          <span key={state} data-state={state} style={{ flexGrow: count }} />
        ))}
      </span>
      {isLong ? (
        <ul className={classes.legend}>
          {states.map(({ state, count }) => {
            const { label, mark } = deviceWords(state);
            return (
              <li key={state}>
                <StateMark state={mark} label={label} />
                <span className="tabular">{formatCount(count)}</span>
              </li>
            );
          })}
        </ul>
      ) : (
        <span className={classes.words}>{rolloutCountsText(counts)}</span>
      )}
    </div>
  );
}
