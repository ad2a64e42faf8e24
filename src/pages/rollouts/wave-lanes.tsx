// The waves of a rollout, one below the other: the states of their devices, and the gate that each has to pass before the
// next one begins.
import { IconCheck } from '@tabler/icons-react';
import type { RolloutDeviceState, RolloutWave } from '#/contract/rollouts.ts';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { devicesText } from '#/lib/format.ts';
import { paths } from '#/paths.ts';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { Link } from '#/ui/url/link.tsx';
import { GateMeter } from './gate-meter.tsx';
import { StateBar } from './state-bar.tsx';
import classes from './rollouts.module.css';

const MARKS = {
  Pending: { mark: 'Waiting', label: 'Not begun' },
  Running: { mark: 'Running', label: 'Running' },
  Passed: { mark: 'Succeeded', label: 'Passed' },
} as const;

interface WaveLanesProps {
  waves: readonly RolloutWave[];
  isPaused: boolean;
  /** A link that shows the devices of a wave in a state. */
  to: (wave: number, state: RolloutDeviceState) => { search: string };
}

export function WaveLanes({ waves, isPaused, to }: WaveLanesProps) {
  return (
    <ol className={classes.lanes} aria-label="Waves">
      {waves.map((wave) => (
        <Lane key={wave.Number} wave={wave} isPaused={isPaused} to={(state) => to(wave.Number, state)} />
      ))}
    </ol>
  );
}

interface LaneProps {
  wave: RolloutWave;
  isPaused: boolean;
  to: (state: RolloutDeviceState) => { search: string };
}

function Lane({ wave, isPaused, to }: LaneProps) {
  const { Number: number, State, JobId, Devices, Counts, StartTime, EndTime } = wave;
  const isHeld = isPaused && State === 'Running';
  const { mark, label } = isHeld ? { mark: 'Interrupted', label: 'Paused' } : MARKS[State];
  return (
    <li
      className={classes.lane}
      data-state={isHeld ? 'Paused' : State}
      aria-current={State === 'Running' ? 'step' : undefined}
    >
      <span className={classes.node} aria-hidden>
        {State === 'Passed' ? <IconCheck size={16} stroke={2.4} /> : number}
      </span>
      <header className={classes.title}>
        <h2>Wave {number}</h2>
        <StateMark state={mark} label={label} />
        <span className="dim">{devicesText(Devices)}</span>
        <span className={classes.times}>
          {StartTime && (
            <span className="dim">
              {EndTime ? 'passed ' : 'began '}
              <Timestamp text={EndTime || StartTime} />
            </span>
          )}
          {JobId && (
            <Link to={paths.job(JobId)} aria-label={`Job of wave ${number}`}>
              Job
            </Link>
          )}
        </span>
      </header>
      <StateBar counts={Counts} to={to} />
      {State !== 'Pending' && <GateMeter wave={wave} />}
    </li>
  );
}
