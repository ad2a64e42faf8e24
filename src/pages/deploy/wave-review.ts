// What the review of a deploy in waves says: which wave each device is in, how many each has, and the earliest end.
import type { RolloutDraft, RolloutWindow } from '#/contract/rollouts.ts';
import { devicesText, formatCount } from '#/lib/format.ts';
import type { Plan } from './wave-parts.ts';

export interface ReviewedWave {
  number: number;
  devices: readonly string[];
}

/** The waves that have devices. Those that no wave takes are in a last one of their own, as the service does it. */
export const reviewedWaves = ({ Waves, Left }: Plan): ReviewedWave[] =>
  [...Waves.map(({ Devices }) => Devices), Left]
    .map((devices, at) => ({ number: at + 1, devices }))
    .filter(({ devices }) => devices.length > 0);

export const waveNumbers = (waves: readonly ReviewedWave[]): Map<string, number> =>
  new Map(waves.flatMap(({ number, devices }) => devices.map((id) => [id, number] as const)));

/** "1 device (pump-1)", "1 · 4 · 5 devices" */
export function wavesText(waves: readonly ReviewedWave[], names: ReadonlyMap<string, string>): string {
  const [only] = waves.length === 1 ? waves : [];
  if (!only) return `${waves.map(({ devices }) => formatCount(devices.length)).join(' · ')} devices`;
  const [id = ''] = only.devices;
  return only.devices.length === 1 ? `1 device (${names.get(id) ?? id})` : devicesText(only.devices.length);
}

/** What a wave needs before the next one starts: "≥ 95 % and 5 min online". */
export function gateText({ SuccessPercent, OnlineMinutes }: RolloutDraft['Gate']): string {
  const share = `${SuccessPercent < 100 ? '≥ ' : ''}${SuccessPercent} %`;
  return OnlineMinutes > 0 ? `${share} and ${OnlineMinutes} min online` : share;
}

/** "Mon, Tue 22:00–04:00 Europe/Berlin" */
export const windowText = ({ Days, From, To, Zone }: RolloutWindow): string =>
  `${Days.join(', ')} ${From}–${To} ${Zone}`;

/** The jobs themselves take no time in it: after each wave its devices have to stay online for a while. */
export const earliestEnd = (
  { Gate, StartTime }: Pick<RolloutDraft, 'Gate' | 'StartTime'>,
  waves: number,
  now: Date,
): Date =>
  new Date(Math.max(now.getTime(), StartTime ? Date.parse(StartTime) : 0) + waves * Gate.OnlineMinutes * 60_000);
