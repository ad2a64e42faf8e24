// The waves of a rollout, side by side: the states of their devices, and what their gates still need.
import { Link } from 'react-router';
import type { RolloutWave } from '#/contract/rollouts.ts';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { devicesText } from '#/lib/format.ts';
import { paths } from '#/paths.ts';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { gateText } from './rollout-words.ts';
import { StateBar } from './state-bar.tsx';
import classes from './rollouts.module.css';

const MARKS = {
  Pending: { mark: 'Waiting', label: 'Not begun' },
  Running: { mark: 'Running', label: 'Running' },
  Passed: { mark: 'Succeeded', label: 'Passed' },
} as const;

export function WaveLanes({ waves }: { waves: readonly RolloutWave[] }) {
  return (
    <ol className={classes.lanes} aria-label="Waves">
      {waves.map((wave) => (
        <Lane key={wave.Number} wave={wave} />
      ))}
    </ol>
  );
}

function Lane({ wave }: { wave: RolloutWave }) {
  const { Number: number, State, JobId, Devices, Counts, StartTime, EndTime } = wave;
  const { mark, label } = MARKS[State];
  const gate = gateText(wave);
  return (
    <li className={classes.lane} data-state={State} aria-current={State === 'Running' ? 'step' : undefined}>
      <h2>
        Wave {number} <StateMark state={mark} label={label} />
      </h2>
      <span className="dim">{devicesText(Devices)}</span>
      <StateBar counts={Counts} isLong />
      {gate && <p className={classes.gate}>{gate}</p>}
      <div className={classes.foot}>
        {JobId && <Link to={paths.job(JobId)}>Job</Link>}
        {StartTime && (
          <span className="dim">
            {EndTime ? 'passed ' : 'began '}
            <Timestamp text={EndTime || StartTime} />
          </span>
        )}
      </div>
    </li>
  );
}
