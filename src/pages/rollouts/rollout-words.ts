// Rollouts in words and marks: of their states, of the states of their devices, and what can be done in each.
import {
  ROLLOUT_DEVICE_STATES,
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

/** Its state: one that reached its end with failures is not called a success. */
export function rolloutWords({ State, Counts }: Pick<RolloutSummary, 'State' | 'Counts'>): StateWords {
  const failed = failuresIn(Counts);
  if (State === 'Succeeded' && failed > 0) return { label: 'Ended', mark: 'Failed', failed };
  return { ...ROLLOUTS[State], failed };
}

const WAVES: Record<RolloutWave['State'], StateWords> = {
  Pending: { label: 'Not begun', mark: 'Waiting' },
  Running: { label: 'Running', mark: 'Running' },
  Passed: { label: 'Passed', mark: 'Succeeded' },
};

export function waveWords(wave: RolloutWave, { State }: Pick<Rollout, 'State'>): StateWords & { isByHand: boolean } {
  const failed = failuresIn(wave.Counts);
  if (wave.Advanced)
    return { label: 'Advanced by hand', mark: failed > 0 ? 'Failed' : 'Interrupted', failed, isByHand: true };
  if (State === 'Paused' && wave.State === 'Running') return { ...ROLLOUTS.Paused, failed, isByHand: false };
  const { label, mark } = WAVES[wave.State];
  return { label, mark: mark === 'Succeeded' && failed > 0 ? 'Failed' : mark, failed, isByHand: false };
}

const DEVICES: Record<RolloutDeviceState, StateWords> = {
  Pending: { label: 'Not begun', mark: 'Waiting' },
  Waiting: { label: 'Waiting', mark: 'Waiting' },
  Running: { label: 'Running', mark: 'Running' },
  Succeeded: { label: 'Succeeded', mark: 'Succeeded' },
  Failed: { label: 'Failed', mark: 'Failed' },
  RolledBack: { label: 'Rolled back', mark: 'Rolled back' },
  NoAnswer: { label: 'No answer', mark: 'No answer' },
  NotBack: { label: 'Not back', mark: 'Offline' },
  Skipped: { label: 'Left out', mark: 'Finished' },
  Cancelled: { label: 'Cancelled', mark: 'Cancelled' },
};
export const deviceWords = (state: RolloutDeviceState): StateWords => DEVICES[state];

/** What needs a person first, then what is done, then what is still open. */
export const ORDER: readonly RolloutDeviceState[] = [
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

/** Those that there are, in one order everywhere. */
export const stateCounts = (counts: Readonly<Record<string, number>>): StateCount[] =>
  ORDER.flatMap((state) => (counts[state] ? [{ state, count: counts[state] }] : []));

/** "2 failed, 35 succeeded" */
export const rolloutCountsText = (counts: Readonly<Record<string, number>>): string =>
  stateCounts(counts)
    .map(({ state, count }) => `${formatCount(count)}\u00a0${DEVICES[state].label.toLowerCase()}`)
    .join(', ');

/** When it paused or failed. Its reason and the figures in it are of that time; what runs goes on and changes the counts. */
export function stoppedAt({ State, EndTime, Steps }: Pick<Rollout, 'State' | 'EndTime' | 'Steps'>): Date | undefined {
  const time = State === 'Paused' ? Steps.find(({ Text }) => /^Paused\b/.test(Text))?.Time : EndTime;
  return parseTimestamp(time ?? '');
}

export const isDeviceState = (value: string | undefined): value is RolloutDeviceState =>
  ROLLOUT_DEVICE_STATES.some((state) => state === value);

/** Whether enough devices of a wave are good for the next one to begin. */
export const isGateOpen = ({ Gate: { Passed, BackOnline, Needed } }: RolloutWave): boolean =>
  Passed || BackOnline >= Needed;

/** "31 good, 33 needed; 4 succeeded and are not Online for long enough yet" */
export function gateText({ Gate: { Success, BackOnline, Needed } }: RolloutWave): string {
  const away = Success - BackOnline;
  const good = `${formatCount(BackOnline)} good, ${formatCount(Needed)} needed`;
  if (away <= 0 || BackOnline >= Needed) return good;
  return `${good}; ${formatCount(away)} succeeded and ${away === 1 ? 'is' : 'are'} not Online for long enough yet`;
}

export const failuresIn = (counts: Readonly<Record<string, number>>): number =>
  (counts['Failed'] ?? 0) + (counts['RolledBack'] ?? 0) + (counts['NoAnswer'] ?? 0);

/** What a person can do now, the most likely first. */
export function actionsOf({
  State,
  Wave,
  WaveCount,
  Counts,
  ArtifactId,
}: {
  State: RolloutState;
  Wave: number;
  WaveCount: number;
  Counts: Readonly<Record<string, number>>;
  ArtifactId?: string | undefined;
}): Exclude<RolloutAction, 'skip'>[] {
  const isOpen = State === 'Scheduled' || State === 'Running' || State === 'Waiting' || State === 'Paused';
  const retry = isOpen && failuresIn(Counts) > 0;
  const taken = (Counts['Succeeded'] ?? 0) + (Counts['NotBack'] ?? 0) > 0;
  return [
    ...(retry ? (['retry'] as const) : []),
    ...(State === 'Paused' ? (['resume'] as const) : []),
    ...(isOpen && (Wave < WaveCount || State === 'Paused') ? (['advance'] as const) : []),
    ...(isOpen && State !== 'Paused' ? (['pause'] as const) : []),
    ...(isOpen ? (['abort'] as const) : []),
    ...(ArtifactId && taken && (!isOpen || State === 'Paused') ? (['rollback'] as const) : []),
    ...(isOpen ? [] : (['remove'] as const)),
  ];
}

/** What happens now. `left`: how long it is going to take, where that is known. */
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
      return `${counted(WaveCount, 'wave')} for ${devicesText(Devices)}, not begun yet.`;
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
