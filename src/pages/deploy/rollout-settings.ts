// The form of a deploy in waves, and the request that it becomes.
import type { Device } from '#/contract/devices.ts';
import { percentFault, type RolloutDraft, type RolloutWindow, type WaveDraft } from '#/contract/rollouts.ts';
import { whatOf, type DeployChoice } from './deploy-choice.ts';

export type WaveRow =
  | { kind: 'percent' | 'count'; value: number }
  /** Names or ids, one per line. */
  | { kind: 'chosen'; text: string };

export interface RolloutSettings {
  waves: readonly WaveRow[];
  successPercent: number;
  onlineMinutes: number;
  timeoutMinutes: number;
  /** More failures than this pause the rollout: devices, or percent of a wave. */
  failed: { kind: 'percent' | 'count'; value: number };
  isConfirmed: boolean;
  /** The value of a datetime-local input; '' to start now. */
  start: string;
  /** Empty to allow any time. */
  windows: readonly RolloutWindow[];
  includeNew: boolean;
}

const percent = (...values: number[]): WaveRow[] => values.map((value) => ({ kind: 'percent', value }));

export const NEW_WINDOW = (zone: string): RolloutWindow => ({
  Days: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri'],
  From: '22:00',
  To: '04:00',
  Zone: zone,
});

export const NEW_ROLLOUT: RolloutSettings = {
  waves: percent(1, 10, 50, 100),
  successPercent: 95,
  onlineMinutes: 5,
  timeoutMinutes: 240,
  failed: { kind: 'percent', value: 5 },
  isConfirmed: false,
  start: '',
  windows: [],
  includeNew: false,
};

export type WavePreset = 'at-once' | 'steps' | 'canary';

/** One device first, chosen by name, and the rest when a person says so. Suggests the first device that is Online. */
export function canaryByHand(devices: readonly Device[]): RolloutSettings {
  const canary = devices.find(({ DeviceStatus }) => DeviceStatus === 'Online') ?? devices[0];
  const text = canary ? canary.DeviceName || canary.DeviceId : '';
  return { ...NEW_ROLLOUT, waves: [{ kind: 'chosen', text }, ...percent(100)], isConfirmed: true };
}

/** The preset that the settings follow; undefined once a person has changed the waves. */
export function presetOf(settings: RolloutSettings | undefined): WavePreset | undefined {
  if (!settings) return 'at-once';
  const { waves, isConfirmed } = settings;
  const percents = waves.flatMap((row) => (row.kind === 'percent' ? row.value : []));
  if (waves.length === 4 && percents.join() === '1,10,50,100') return 'steps';
  return waves.length === 2 && waves[0]?.kind === 'chosen' && percents.join() === '100' && isConfirmed
    ? 'canary'
    : undefined;
}

/** The devices that the lines of a text name, by name or id, and the lines that name none. */
export function chosenDevices(text: string, devices: readonly Device[]): { ids: string[]; unknown: string[] } {
  const byWord = new Map<string, string>();
  for (const { DeviceId, DeviceName } of devices) {
    byWord.set(DeviceName.toLowerCase(), DeviceId);
    byWord.set(DeviceId.toLowerCase(), DeviceId);
  }
  const lines = text.split(/[\n,]/).flatMap((line) => line.trim() || []);
  const found = lines.map((line) => ({ line, id: byWord.get(line.toLowerCase()) }));
  return {
    ids: [...new Set(found.flatMap(({ id }) => id ?? []))],
    unknown: found.flatMap(({ line, id }) => (id === undefined ? [line] : [])),
  };
}

/** The wave with an invalid percentage, and why. */
export const wavePercentFault = (waves: readonly WaveRow[]) => percentFault(waves.map((row) => waveOf(row, [])));

/** Adds a wave between the last two percentages if there is room, because the last one is usually 100. */
export function withNewWave(waves: readonly WaveRow[]): WaveRow[] {
  const last = waves.at(-1);
  if (last?.kind !== 'percent') return [...waves, ...percent(100)];
  if (last.value < 100) return [...waves, ...percent(100)];
  const before = waves.slice(0, -1).reduce((most, row) => (row.kind === 'percent' ? row.value : most), 0);
  const middle = Math.ceil((before + last.value) / 2);
  return middle < last.value
    ? [...waves.slice(0, -1), ...percent(middle), last]
    : [...waves, { kind: 'count', value: 1 }];
}

/** Why the rollout cannot be sent yet, in words. */
export function rolloutFault({ waves }: RolloutSettings, devices: readonly Device[]): string | undefined {
  if (waves.length === 0) return 'Add a wave first.';
  for (const [at, wave] of waves.entries()) {
    if (wave.kind !== 'chosen') continue;
    const { ids, unknown } = chosenDevices(wave.text, devices);
    if (unknown.length > 0) return `Wave ${at + 1}: “${unknown[0]}” is none of the devices.`;
    if (ids.length === 0) return `Wave ${at + 1}: name its devices.`;
  }
  const fault = wavePercentFault(waves);
  return fault && `Wave ${fault.at + 1} ${fault.because}.`;
}

const waveOf = (row: WaveRow, devices: readonly Device[]): WaveDraft => {
  if (row.kind === 'chosen') return { DeviceIds: chosenDevices(row.text, devices).ids };
  return row.kind === 'percent' ? { Percent: row.value } : { Count: row.value };
};

export function rolloutOf(
  choice: DeployChoice,
  name: string,
  settings: RolloutSettings,
  devices: readonly Device[],
): RolloutDraft {
  const { kind, value } = choice.target;
  const target =
    kind === 'group'
      ? { DeviceGroup: value }
      : kind === 'tag'
        ? { TagId: value }
        : { DeviceIds: devices.map(({ DeviceId }) => DeviceId) };
  return {
    ...whatOf(choice, name),
    ...target,
    Waves: settings.waves.map((row) => waveOf(row, devices)),
    Gate: {
      SuccessPercent: settings.successPercent,
      OnlineMinutes: settings.onlineMinutes,
      TimeoutMinutes: settings.timeoutMinutes,
    },
    PauseAfter: { [settings.failed.kind === 'count' ? 'FailedCount' : 'FailedPercent']: settings.failed.value },
    Advance: settings.isConfirmed ? 'confirm' : 'auto',
    ...(settings.start && { StartTime: new Date(settings.start).toISOString() }),
    ...(settings.windows.length > 0 && { Windows: [...settings.windows] }),
    IncludeNew: settings.includeNew && (kind === 'group' || kind === 'tag'),
  };
}
