// The waves of a rollout, one below the other: the states of their devices, and the gate that each must pass before the
// next one starts.
import type { CSSProperties } from 'react';
import { IconCheck } from '@tabler/icons-react';
import type { Rollout, RolloutDeviceState, RolloutWave } from '#/contract/rollouts.ts';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { devicesText } from '#/lib/format.ts';
import { paths } from '#/paths.ts';
import { StateOf } from '#/ui/controls/state-mark.tsx';
import { Link } from '#/ui/url/link.tsx';
import { StateBar } from './state-bar.tsx';
import { gateText, isGateOpen, waveWords } from './rollout-words.ts';
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
  const isPaused = rollout.State === 'Paused' && State === 'Running';
  const words = waveWords(wave, rollout);
  const hasFailed = (words.failed ?? 0) > 0;
  const look = isPaused ? 'Paused' : State === 'Passed' && hasFailed ? 'Failed' : words.isManual ? 'Manual' : State;
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
              {EndTime ? (words.isManual ? 'ended ' : 'passed ') : 'started '}
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

/** How far the gate of a wave is: devices that are good, those that succeeded too recently, and how many are needed. */
function GateMeter({ wave }: { wave: RolloutWave }) {
  const { Number: number, Devices, Gate } = wave;
  const most = Math.max(Devices, Gate.Needed, 1);
  const share = (count: number): string => `${(100 * count) / most}%`;
  const text = gateText(wave);
  return (
    <div className={classes.gate} data-open={isGateOpen(wave) || undefined}>
      <div
        role="meter"
        aria-label={`Gate of wave ${number}`}
        aria-valuemin={0}
        aria-valuemax={most}
        aria-valuenow={Gate.BackOnline}
        aria-valuetext={text}
        className={classes.track}
        style={
          {
            '--good': share(Gate.BackOnline),
            '--success': share(Gate.Success),
            '--needed': share(Gate.Needed),
          } as CSSProperties
        }
      />
      <p>
        {text}
        {Gate.BackTime && (
          <span className="dim">
            {'; passes '}
            <Timestamp text={Gate.BackTime} ahead /> if they stay online
          </span>
        )}
      </p>
    </div>
  );
}
