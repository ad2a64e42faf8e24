// Sums up the states of a wave's devices for its gate.
import type { WaveCounts } from '../store/rollout-devices.ts';
import type { WaveFigures } from './decide.ts';

/** Devices that were skipped or deleted, or whose job was cancelled, do not count. */
export function figuresOf({ counts, back }: WaveCounts): WaveFigures {
  const of = (...states: (keyof typeof counts)[]) => states.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
  const success = of('Succeeded', 'NotBack');
  const failed = of('Failed', 'RolledBack', 'NoAnswer');
  return { devices: success + failed + of('Waiting', 'Running'), success, back, failed };
}
