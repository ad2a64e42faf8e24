// How far the gate of a wave is: who is good, who succeeded and is not Online for long enough yet, and how many are needed.
import type { CSSProperties } from 'react';
import type { RolloutWave } from '#/contract/rollouts.ts';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { gateText, isGateOpen } from './rollout-words.ts';
import classes from './rollouts.module.css';

export function GateMeter({ wave }: { wave: RolloutWave }) {
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
            <Timestamp text={Gate.BackTime} ahead /> if they stay Online
          </span>
        )}
      </p>
    </div>
  );
}
