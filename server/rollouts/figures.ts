// Sums up the states of a wave's devices for its gate.
import type { WaveCounts } from '../store/rollout-devices.ts';
import { requiredDevices, type RolloutSituation, type WaveFigures } from './decide.ts';

/** Devices that were skipped or deleted, or whose job was cancelled, do not count. */
export function figuresOf({ counts, back }: WaveCounts): WaveFigures {
  const of = (...states: (keyof typeof counts)[]) => states.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
  const success = of('Succeeded', 'NotBack');
  const failed = of('Failed', 'RolledBack', 'NoAnswer');
  return { devices: success + failed + of('Waiting', 'Running'), success, back, failed, away: of('NotBack') };
}

/** The figures of a wave when its gate, or a person, let the next one begin; stored with the wave. */
export type WaveVerdict = Omit<WaveFigures, 'devices'> & { needed: number };

export const verdictOn = ({ figures, settings }: Pick<RolloutSituation, 'figures' | 'settings'>): WaveVerdict => {
  const { devices, ...counted } = figures;
  return { ...counted, needed: requiredDevices(devices, settings.Gate) };
};
