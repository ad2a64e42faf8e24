// What a rollout does next: a function of what is known of it and of the time.
import type { RolloutDraft, RolloutState } from '#/contract/rollouts.ts';
import { isOpen, nextOpening } from './windows.ts';

type Settings = Pick<RolloutDraft, 'Gate' | 'PauseAfter' | 'Advance'> & {
  windows: NonNullable<RolloutDraft['Windows']>;
  /** In milliseconds since the epoch; undefined: at once. */
  start: number | undefined;
};

/** The devices of the last wave that has begun, without those that were left out. */
export interface WaveFigures {
  devices: number;
  /** Succeeded, and how many of these are back Online for as long as the gate asks. */
  success: number;
  back: number;
  /** Failed, rolled back, without an answer. */
  failed: number;
}

export interface RolloutSituation {
  settings: Settings;
  state: RolloutState;
  now: number;
  waves: number;
  /** The last wave that has begun, from 0; -1 before the first. */
  wave: number;
  /** Of that wave: when it began or was tried again, and whether it has passed. */
  began: number;
  isPassed: boolean;
  figures: WaveFigures;
  /** Failures that a person knew of when the rollout was resumed. */
  forgiven: number;
  /** A person has let the next wave begin. */
  isConfirmed: boolean;
}

export type Decision =
  | { do: 'nothing' }
  | { do: 'begin'; wave: number }
  | { do: 'pass' | 'succeed' }
  | { do: 'wait' | 'pause'; because: string };

const NOTHING: Decision = { do: 'nothing' };
const MINUTE = 60_000;

/** How many devices of a wave must be good for it to pass. */
export const neededOf = (devices: number, { SuccessPercent }: Settings['Gate']): number =>
  Math.ceil((devices * SuccessPercent) / 100);

const counted = (value: number, what: string) => `${value} ${what}${value === 1 ? '' : 's'}`;
const count = (devices: number) => counted(devices, 'device');

function pauseReason({ settings, figures, wave, began, forgiven, now }: RolloutSituation): string | undefined {
  const { FailedCount, FailedPercent = 0 } = settings.PauseAfter;
  const { devices, failed, back } = figures;
  const limit = FailedCount ?? Math.floor((devices * FailedPercent) / 100);
  const name = `Wave ${wave + 1}`;
  if (failed > forgiven && failed - forgiven > limit)
    return `${name}: ${failed} of ${count(devices)} failed${limit > 0 ? `, more than ${limit}` : ''}`;
  if (back >= neededOf(devices, settings.Gate)) return undefined;
  const needed = neededOf(devices, settings.Gate);
  if (failed > forgiven && devices - failed < needed)
    return `${name} cannot pass: ${failed} of ${count(devices)} failed, and ${needed} have to succeed`;
  const { TimeoutMinutes } = settings.Gate;
  if (now < began + TimeoutMinutes * MINUTE) return undefined;
  const away = figures.success - back;
  return `${name} has not passed in ${counted(TimeoutMinutes, 'minute')}: ${back} of ${needed} needed devices are good${
    away > 0 ? `, ${count(away)} did not come back Online` : ''
  }`;
}

function begin({ settings, now }: RolloutSituation, wave: number): Decision {
  if (isOpen(settings.windows, now)) return { do: 'begin', wave };
  const next = nextOpening(settings.windows, now);
  const when = next === undefined ? 'never opens' : `opens at ${new Date(next).toISOString().slice(0, 16)}Z`;
  return { do: 'wait', because: `Wave ${wave + 1} waits for its maintenance window, which ${when}` };
}

/**
 * Until when a rollout only waits, whatever its devices do: for its start, its window, or for a person. `now` where it
 * has to be looked at again.
 */
export function waitsUntil({ settings, now, wave, waves, isPassed, isConfirmed }: RolloutSituation): number {
  const { start = now, windows, Advance } = settings;
  if (wave < 0 && now < start) return start;
  if (wave >= 0 && (!isPassed || wave === waves - 1)) return now;
  if (wave >= 0 && Advance === 'confirm' && !isConfirmed) return Infinity;
  return isOpen(windows, now) ? now : (nextOpening(windows, now) ?? now);
}

export function decide(situation: RolloutSituation): Decision {
  const { settings, state, now, wave, waves, figures } = situation;
  if (state !== 'Scheduled' && state !== 'Running' && state !== 'Waiting') return NOTHING;
  if (wave < 0) return settings.start !== undefined && now < settings.start ? NOTHING : begin(situation, 0);
  if (!situation.isPassed) {
    const because = pauseReason(situation);
    if (because !== undefined) return { do: 'pause', because };
    return figures.back >= neededOf(figures.devices, settings.Gate) ? { do: 'pass' } : NOTHING;
  }
  if (wave === waves - 1) return { do: 'succeed' };
  if (settings.Advance === 'confirm' && !situation.isConfirmed)
    return { do: 'wait', because: `Wave ${wave + 1} has passed: somebody has to let wave ${wave + 2} begin` };
  return begin(situation, wave + 1);
}
