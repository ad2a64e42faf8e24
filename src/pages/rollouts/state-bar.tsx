// The states of devices as a bar, and in words.
import type { RolloutDeviceState } from '#/contract/rollouts.ts';
import { StateOf } from '#/ui/controls/state-mark.tsx';
import { formatCount } from '#/lib/format.ts';
import { Link } from '#/ui/url/link.tsx';
import { rolloutCountsText, deviceWords, stateCounts } from './rollout-words.ts';
import classes from './rollouts.module.css';

interface StateBarProps {
  counts: Readonly<Record<string, number>>;
  /** Where each state links to; without it the words below the bar are plain text. */
  to?: (state: RolloutDeviceState) => { search: string };
}

export function StateBar({ counts, to }: StateBarProps) {
  const states = stateCounts(counts);
  return (
    <div className={classes.states} data-wide={to !== undefined || undefined}>
      <span className={classes.bar} aria-hidden>
        {states.map(({ state, count }) => (
          <span key={state} data-state={state} style={{ flexGrow: count }} />
        ))}
      </span>
      {to ? (
        <ul className={classes.legend}>
          {states.map(({ state, count }) => (
            <li key={state}>
              <Link to={to(state)} replace preventScrollReset>
                <StateOf words={deviceWords(state)} /> <span className="tabular">{formatCount(count)}</span>
              </Link>
            </li>
          ))}
        </ul>
      ) : (
        <span className={classes.words}>{rolloutCountsText(counts)}</span>
      )}
    </div>
  );
}
