// The words for rollouts: the states of rollouts, waves and devices, and the actions that each state allows.
import {
  isOver,
  type Rollout,
  type RolloutDeviceState,
  type RolloutState,
  type RolloutSummary,
  type RolloutWave,
} from '#/contract/rollouts.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import type { RolloutAction } from '#/api/rollouts.ts';
import { counted, devicesText, formatCount } from '#/lib/format.ts';
import type { StateWords } from '#/ui/controls/state-words.ts';

const ROLLOUTS: Record<RolloutState, StateWords> = {
  Scheduled: { label: 'Scheduled', mark: 'Waiting' },
  Running: { label: 'Running', mark: 'Running' },
  Waiting: { label: 'Waiting', mark: 'Waiting' },
  Paused: { label: 'Paused', mark: 'Interrupted' },
  Succeeded: { label: 'Succeeded', mark: 'Succeeded' },
  Failed: { label: 'Failed', mark: 'Failed' },
  Aborted: { label: 'Aborted', mark: 'Cancelled' },
};

/** A rollout that ended with failures is not called a success. */
export function rolloutWords({ State, Counts }: Pick<RolloutSummary, 'State' | 'Counts'>): StateWords {
  const failed = failuresIn(Counts);
  if (State === 'Succeeded' && failed > 0) return { label: 'Ended', mark: 'Failed', failed };
  return { ...ROLLOUTS[State], failed };
}

const WAVES: Record<RolloutWave['State'], StateWords> = {
  Pending: { label: 'Not started', mark: 'Waiting' },
  Running: { label: 'Running', mark: 'Running' },
  Passed: { label: 'Passed', mark: 'Succeeded' },
};

export function waveWords(wave: RolloutWave, { State }: Pick<Rollout, 'State'>): StateWords & { isManual: boolean } {
  const failed = failuresIn(wave.Counts);
  if (wave.Advanced)
    return { label: 'Advanced manually', mark: failed > 0 ? 'Failed' : 'Interrupted', failed, isManual: true };
  if (State === 'Paused' && wave.State === 'Running') return { ...ROLLOUTS.Paused, failed, isManual: false };
  const { label, mark } = WAVES[wave.State];
  return { label, mark: mark === 'Succeeded' && failed > 0 ? 'Failed' : mark, failed, isManual: false };
}

const DEVICES: Record<RolloutDeviceState, StateWords> = {
  Pending: { label: 'Not started', mark: 'Waiting' },
  Waiting: { label: 'Waiting', mark: 'Waiting' },
  Running: { label: 'Running', mark: 'Running' },
  Succeeded: { label: 'Succeeded', mark: 'Succeeded' },
  Failed: { label: 'Failed', mark: 'Failed' },
  RolledBack: { label: 'Rolled back', mark: 'Rolled back' },
  NoAnswer: { label: 'No answer', mark: 'No answer' },
  NotBack: { label: 'Still offline', mark: 'Offline' },
  Skipped: { label: 'Left out', mark: 'Finished' },
  Cancelled: { label: 'Cancelled', mark: 'Cancelled' },
};
export const deviceWords = (state: RolloutDeviceState): StateWords => DEVICES[state];

/** States that need attention, then what is done, then what is still open. */
export const STATES_BY_URGENCY: readonly RolloutDeviceState[] = [
  'Failed',
  'RolledBack',
  'NoAnswer',
  'NotBack',
  'Succeeded',
  'Running',
  'Waiting',
  'Pending',
  'Skipped',
  'Cancelled',
];

export interface StateCount {
  state: RolloutDeviceState;
  count: number;
}

/** The states that occur, the most urgent first. */
export const stateCounts = (counts: Readonly<Record<string, number>>): StateCount[] =>
  STATES_BY_URGENCY.flatMap((state) => {
    const count = new Map(Object.entries(counts)).get(state);
    return count ? [{ state, count }] : [];
  });

/** "2 failed, 35 succeeded" */
export const rolloutCountsText = (counts: Readonly<Record<string, number>>): string =>
  stateCounts(counts)
    .map(({ state, count }) => `${formatCount(count)}\u00a0${DEVICES[state].label.toLowerCase()}`)
    .join(', ');

/**
 * When it paused or failed. The reason and its figures are from that time; running jobs continue and change the counts.
 */
export function stoppedAt({ State, EndTime, Steps }: Pick<Rollout, 'State' | 'EndTime' | 'Steps'>): Date | undefined {
  const time = State === 'Paused' ? Steps.find(({ Text }) => /^Paused\b/.test(Text))?.Time : EndTime;
  return parseTimestamp(time ?? '');
}

/** Whether enough devices of a wave are good to start the next one. */
export const isGateOpen = ({ Gate: { Passed, BackOnline, Needed } }: RolloutWave): boolean =>
  Passed || BackOnline >= Needed;

/** "31 of 33 required; 4 succeeded, not yet stable"; once it has passed, the figures of that moment and what came since. */
export function gateText({ Gate: { Success, BackOnline, Needed, Passed, Since } }: RolloutWave): string {
  const healthy = `${formatCount(BackOnline)} healthy, ${formatCount(Needed)} required`;
  if (Passed) {
    const since = [
      Since?.Failed ? `${formatCount(Since.Failed)} failed` : '',
      Since?.Offline ? `${formatCount(Since.Offline)} went offline` : '',
    ].filter(Boolean);
    return since.length > 0 ? `${healthy}. Since then: ${since.join(', ')}` : healthy;
  }
  if (BackOnline >= Needed) return healthy;
  const pending = Success - BackOnline;
  return `${formatCount(BackOnline)} of ${formatCount(Needed)} required${
    pending > 0 ? `; ${formatCount(pending)} succeeded, not yet stable` : ''
  }`;
}

export const failuresIn = (counts: Readonly<Record<string, number>>): number =>
  (counts['Failed'] ?? 0) + (counts['RolledBack'] ?? 0) + (counts['NoAnswer'] ?? 0);

/** The actions beside the title, the most likely first. A paused rollout has its decision below it instead. */
export function actionsOf(
  rollout: Pick<RolloutSummary, 'State' | 'Wave' | 'WaveCount' | 'Counts' | 'ArtifactId'>,
): Exclude<RolloutAction, 'skip' | 'resume'>[] {
  const { State, Wave, WaveCount, Counts, ArtifactId } = rollout;
  const isOpen = !isOver(State) && State !== 'Paused';
  const retry = isOpen && failuresIn(Counts) > 0;
  const taken = (Counts['Succeeded'] ?? 0) + (Counts['NotBack'] ?? 0) > 0;
  return [
    ...(retry ? (['retry'] as const) : []),
    ...(isOpen && Wave > 0 && Wave < WaveCount ? (['advance'] as const) : []),
    ...(isOpen ? (['pause'] as const) : []),
    ...(isOpen ? (['abort'] as const) : []),
    ...(ArtifactId && taken && !isOpen ? (['rollback'] as const) : []),
    ...(isOver(State) ? (['remove'] as const) : []),
  ];
}

/** What is happening now. `left`: the estimated time, if there is one. */
export function nowText(
  { State, Because, Wave, WaveCount, Devices, Counts }: Omit<RolloutSummary, 'Name'>,
  left?: string,
): string {
  const success = (Counts['Succeeded'] ?? 0) + (Counts['NotBack'] ?? 0);
  const failed = failuresIn(Counts);
  const succeeded = `${formatCount(success)} of ${devicesText(Devices)} succeeded${
    failed > 0 ? `, ${formatCount(failed)} failed` : ''
  }.`;
  switch (State) {
    case 'Scheduled':
      return `${counted(WaveCount, 'wave')} for ${devicesText(Devices)}, not started yet.`;
    case 'Running':
      return `Wave ${formatCount(Wave)} of ${formatCount(WaveCount)} is running${left ? `, ${left}` : ''}. ${succeeded}`;
    case 'Succeeded':
      return `${WaveCount === 1 ? 'Its wave has' : `All ${formatCount(WaveCount)} waves have`} ended. ${succeeded}`;
    case 'Aborted':
      return `Aborted${Because && `: ${Because}`}. ${succeeded}`;
    default:
      return `${Because}. ${succeeded}`;
  }
}
