// Decides what a rollout does next, as a pure function of its situation and the time.
import { minutesText, type RolloutDraft, type RolloutState } from '#/contract/rollouts.ts';
import { isOpen, nextOpening } from './windows.ts';

type Settings = Pick<RolloutDraft, 'Gate' | 'PauseAfter' | 'Advance'> & {
  windows: NonNullable<RolloutDraft['Windows']>;
  /** In milliseconds since the epoch; undefined to start immediately. */
  start: number | undefined;
};

/** The devices of the last wave that has started, without skipped ones. */
export interface WaveFigures {
  devices: number;
  /** Devices that succeeded, and how many of these have been Online for as long as the gate requires. */
  success: number;
  back: number;
  /** Devices that failed, rolled back, or gave no answer. */
  failed: number;
  /** Of those that succeeded, the ones that are Offline. */
  away: number;
}

export interface RolloutSituation {
  settings: Settings;
  state: RolloutState;
  now: number;
  waves: number;
  /** The last wave that has started, from 0; -1 before the first. */
  wave: number;
  /** When that wave started or was last retried, and whether it has passed. */
  began: number;
  isPassed: boolean;
  figures: WaveFigures;
  /** The failures that were already known when a person resumed the rollout. */
  forgiven: number;
  /** Whether a person has approved the next wave. */
  isConfirmed: boolean;
}

export type Decision =
  | { do: 'nothing' }
  | { do: 'begin'; wave: number }
  | { do: 'pass' | 'succeed' }
  | { do: 'wait' | 'pause'; because: string };

const NOTHING: Decision = { do: 'nothing' };
const MINUTE = 60_000;

/** How many devices of a wave must succeed and be back Online for it to pass. */
export const requiredDevices = (devices: number, { SuccessPercent }: Settings['Gate']): number =>
  Math.ceil((devices * SuccessPercent) / 100);

/** Whether a wave can still pass, if everything that has not failed succeeds. */
export const canPass = ({ devices, failed }: WaveFigures, gate: Settings['Gate']): boolean =>
  devices - failed >= requiredDevices(devices, gate);

const deviceCount = (devices: number) => `${devices} ${devices === 1 ? 'device' : 'devices'}`;

function pauseReason({ settings, figures, wave, began, forgiven, now }: RolloutSituation): string | undefined {
  const { FailedCount, FailedPercent = 0 } = settings.PauseAfter;
  const { devices, success, failed, back } = figures;
  const limit = FailedCount ?? Math.floor((devices * FailedPercent) / 100);
  const name = `Wave ${wave + 1}`;
  if (failed > forgiven && failed - forgiven > limit)
    return `${failed} of ${deviceCount(devices)} failed in wave ${wave + 1}${limit > 0 ? `, more than ${limit}` : ''}`;
  const needed = requiredDevices(devices, settings.Gate);
  if (back >= needed) return undefined;
  // Failures that a person knows of do not end what was tried again.
  if (!canPass(figures, settings.Gate) && (failed > forgiven || success + failed === devices))
    return `${name} cannot pass: ${failed} of ${deviceCount(devices)} failed, and ${needed} must succeed`;
  const { TimeoutMinutes } = settings.Gate;
  if (now < began + TimeoutMinutes * MINUTE) return undefined;
  const { away } = figures;
  return `${name} has not passed within ${minutesText(TimeoutMinutes)}: ${back} of ${needed} required ${
    needed === 1 ? 'device is' : 'devices are'
  } healthy${away > 0 ? `, ${deviceCount(away)} ${away === 1 ? 'is' : 'are'} still offline` : ''}`;
}

function begin({ settings, now }: RolloutSituation, wave: number): Decision {
  if (isOpen(settings.windows, now)) return { do: 'begin', wave };
  const next = nextOpening(settings.windows, now);
  const when = next === undefined ? 'never opens' : `opens at ${new Date(next).toISOString().slice(0, 16)}Z`;
  return { do: 'wait', because: `Wave ${wave + 1} is waiting for its maintenance window, which ${when}` };
}

/**
 * How long a rollout merely waits, whatever its devices do: for its start, its maintenance window, or a person. Returns
 * `now` if it may have something to do.
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
    return figures.back >= requiredDevices(figures.devices, settings.Gate) ? { do: 'pass' } : NOTHING;
  }
  if (wave === waves - 1) return { do: 'succeed' };
  if (settings.Advance === 'confirm' && !situation.isConfirmed)
    return { do: 'wait', because: `Wave ${wave + 1} passed. Wave ${wave + 2} is waiting for approval` };
  return begin(situation, wave + 1);
}
