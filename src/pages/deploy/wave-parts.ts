// The parts of the bar that shows a rollout's waves, from 0 to 100 % of the devices, and the limits of its handles.
import type { WaveRow } from './rollout-settings.ts';

interface PlannedWave {
  Devices: readonly string[];
  Offline: number;
}
export interface Plan {
  Waves: readonly PlannedWave[];
  Left: readonly string[];
}

export interface WavePart {
  /** The percentages of all devices at which the part begins and ends on the bar. */
  from: number;
  to: number;
  /** Undefined for the devices that no wave takes: the service puts them into a last wave of their own. */
  row: WaveRow | undefined;
  /** Undefined until the service has planned the waves. */
  planned: PlannedWave | undefined;
}

/** A plan that was made for another number of waves is ignored. */
export function wavePartsOf(waves: readonly WaveRow[], plan: Plan | undefined, away: ReadonlySet<string>): WavePart[] {
  const current = plan?.Waves.length === waves.length ? plan : undefined;
  const total = current ? current.Waves.reduce((sum, { Devices }) => sum + Devices.length, current.Left.length) : 0;
  let taken = 0;
  let from = 0;
  const parts = waves.map((row, at): WavePart => {
    const planned = current?.Waves[at];
    taken += planned?.Devices.length ?? 0;
    // A wave that is not a percentage takes its share of the devices, and never room of a later percentage.
    const share = total > 0 ? (100 * taken) / total : from;
    const most = waves.slice(at + 1).reduce((least, later) => Math.min(least, percentOf(later) ?? 100), 100);
    const to = Math.max(from, Math.min(percentOf(row) ?? share, most));
    const part = { from, to, row, planned };
    from = to;
    return part;
  });
  const left = current?.Left ?? [];
  if (left.length > 0) {
    const planned = { Devices: left, Offline: left.filter((id) => away.has(id)).length };
    parts.push({ from, to: 100, row: undefined, planned });
  }
  return parts;
}

const percentOf = (row: WaveRow): number | undefined => (row.kind === 'percent' ? row.value : undefined);

/** The least and the most that a percentage may be, because percentages rise from wave to wave. */
export function handleRange(waves: readonly WaveRow[], at: number): { least: number; most: number } {
  const before = waves.slice(0, at).reduce((last, row) => percentOf(row) ?? last, 0);
  const after = waves.slice(at + 1).find((row) => row.kind === 'percent');
  return { least: before + 1, most: after?.kind === 'percent' ? after.value - 1 : 100 };
}

/** Moves the end of a wave, as far as its neighbours allow. */
export function moveHandle(waves: readonly WaveRow[], at: number, value: number): readonly WaveRow[] {
  const { least, most } = handleRange(waves, at);
  return waves.with(at, { kind: 'percent', value: Math.max(least, Math.min(most, Math.round(value))) });
}

/** Where a key moves a handle to; undefined for keys that do not move it. */
export function keyTarget(key: string, value: number, { least, most }: { least: number; most: number }) {
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      return value - 1;
    case 'ArrowRight':
    case 'ArrowUp':
      return value + 1;
    case 'PageDown':
      return value - 10;
    case 'PageUp':
      return value + 10;
    case 'Home':
      return least;
    case 'End':
      return most;
    default:
      return undefined;
  }
}
