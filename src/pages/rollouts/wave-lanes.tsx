// The waves of a rollout, one below the other: the states of their devices, and the gate that each has to pass before the
// next one begins.
import { IconCheck } from '@tabler/icons-react';
import type { Rollout, RolloutDeviceState, RolloutWave } from '#/contract/rollouts.ts';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { devicesText } from '#/lib/format.ts';
import { paths } from '#/paths.ts';
import { StateOf } from '#/ui/controls/state-mark.tsx';
import { Link } from '#/ui/url/link.tsx';
import { GateMeter } from './gate-meter.tsx';
import { StateBar } from './state-bar.tsx';
import { waveWords } from './rollout-words.ts';
import classes from './rollouts.module.css';

interface WaveLanesProps {
  rollout: Pick<Rollout, 'State' | 'Waves'>;
  /** A link that shows the devices of a wave in a state. */
  to: (wave: number, state: RolloutDeviceState) => { search: string };
}

export function WaveLanes({ rollout, to }: WaveLanesProps) {
  return (
    <ol className={classes.lanes} aria-label="Waves">
      {rollout.Waves.map((wave) => (
        <Lane key={wave.Number} wave={wave} rollout={rollout} to={(state) => to(wave.Number, state)} />
      ))}
    </ol>
  );
}

interface LaneProps {
  wave: RolloutWave;
  rollout: Pick<Rollout, 'State'>;
  to: (state: RolloutDeviceState) => { search: string };
}

function Lane({ wave, rollout, to }: LaneProps) {
  const { Number: number, State, JobId, Devices, Counts, StartTime, EndTime } = wave;
  const isHeld = rollout.State === 'Paused' && State === 'Running';
  const words = waveWords(wave, rollout);
  const hasFailed = (words.failed ?? 0) > 0;
  const look = isHeld ? 'Paused' : State === 'Passed' && hasFailed ? 'Failed' : words.isByHand ? 'ByHand' : State;
  return (
    <li className={classes.lane} data-state={look} aria-current={State === 'Running' ? 'step' : undefined}>
      <span className={classes.node} aria-hidden>
        {look === 'Passed' ? <IconCheck size={16} stroke={2.4} /> : number}
      </span>
      <header className={classes.title}>
        <h2>Wave {number}</h2>
        <StateOf words={words} />
        <span className="dim">{devicesText(Devices)}</span>
        <span className={classes.times}>
          {StartTime && (
            <span className="dim">
              {EndTime ? (words.isByHand ? 'ended ' : 'passed ') : 'began '}
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
