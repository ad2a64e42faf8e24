// A rollout in the API's form: its waves with the figures of their gates, and its devices.
import type { Rollout, RolloutDevice, RolloutSummary, RolloutWave } from '#/contract/rollouts.ts';
import { printIsoTime } from '#/contract/timestamps.ts';
import { requiredDevices } from '../rollouts/decide.ts';
import { figuresOf } from '../rollouts/figures.ts';
import type { Reader } from '../store/database.ts';
import {
  backSince,
  countWave,
  exitCodesOf,
  keptCounts,
  type DeviceStateRow,
  type StateCounts,
} from '../store/rollout-devices.ts';
import { plannedDevices, settingsOf, stepsOf, wavesOf, type RolloutRow, type WaveRow } from '../store/rollouts.ts';

const MAX_STEPS = 200;
const MINUTE = 60_000;

/** Looks up the names of actors. */
export type ActorNames = (db: Reader, accountId: number, actors: string[]) => Promise<Map<string, string>>;

export const time = (at: number | null | undefined): string =>
  at === null || at === undefined ? '' : printIsoTime(new Date(at));

/** How long the figures of a rollout are cached: many people may watch the same one. */
const FRESH_MS = 1_000;
/** Figures of an ended rollout change only while its last jobs run. After that they are stored with it. */
const FRESH_ENDED_MS = 60_000;
const MAX_REMEMBERED = 500;

/** `wavesIn` with a short-lived cache, which a step of the rollout invalidates. */
export function openWaveFigures(db: Reader, now: () => number): (row: RolloutRow) => Promise<RolloutWave[]> {
  const remembered = new Map<number, { version: number; at: number; waves: Promise<RolloutWave[]> }>();
  return (row) => {
    if (row.kept !== null) return wavesIn(db, row, now());
    const known = remembered.get(row.seq);
    const fresh = row.ended === null ? FRESH_MS : FRESH_ENDED_MS;
    if (known?.version === row.version && performance.now() - known.at < fresh) return known.waves;
    const waves = wavesIn(db, row, now());
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(row.seq, { version: row.version, at: performance.now(), waves });
    // Errors are not cached.
    waves.catch(() => remembered.delete(row.seq));
    return waves;
  };
}

/** What is known of a wave without reading its jobs. */
interface PlannedWave {
  number: number;
  devices: number;
  skipped: number;
}

const sumOf = (counts: StateCounts): number => Object.values(counts).reduce((sum, count) => sum + count, 0);

async function wavesIn(db: Reader, row: RolloutRow, now: number): Promise<RolloutWave[]> {
  const kept = keptCounts(row);
  const planned = kept
    ? kept.map((counts, wave) => ({ wave, devices: sumOf(counts), skipped: counts.Skipped ?? 0 }))
    : await plannedDevices(db, row.seq);
  const startedWaves = await wavesOf(db, row.seq);
  return Promise.all(
    Array.from({ length: row.waves }, async (_, number) => {
      const { devices = 0, skipped = 0 } = planned.find(({ wave }) => wave === number) ?? {};
      const wave = startedWaves.find((each) => each.number === number);
      return wave
        ? startedWave(db, row, { number, devices, wave, counts: kept?.[number], now })
        : pendingWave(row, { number, devices, skipped });
    }),
  );
}

function pendingWave(row: RolloutRow, { number, devices, skipped }: PlannedWave): RolloutWave {
  const Needed = requiredDevices(devices - skipped, settingsOf(row).Gate);
  return {
    Number: number + 1,
    State: 'Pending',
    JobId: '',
    Devices: devices,
    Counts: {
      ...(devices > skipped && { Pending: devices - skipped }),
      ...(skipped > 0 && { Skipped: skipped }),
    },
    Gate: { Success: 0, BackOnline: 0, Needed, Passed: false, BackTime: '' },
    StartTime: '',
    EndTime: '',
  };
}

interface StartedWave {
  number: number;
  devices: number;
  wave: WaveRow;
  /** The counts stored when the rollout ended. */
  counts: StateCounts | undefined;
  now: number;
}

async function startedWave(
  db: Reader,
  row: RolloutRow,
  { number, devices, wave, counts: kept, now }: StartedWave,
): Promise<RolloutWave> {
  const { Gate } = settingsOf(row);
  const online = Gate.OnlineMinutes * MINUTE;
  const counted = kept ? { counts: kept, back: kept.Succeeded ?? 0 } : await countWave(db, row, wave, now - online);
  const { counts, back } = counted;
  const { devices: counting, success } = figuresOf(counted);
  const needed = requiredDevices(counting, Gate);
  const isAwaited = row.ended === null && wave.passed === null && back < needed && success >= needed;
  const since = isAwaited ? await backSince(db, row, wave, needed) : undefined;
  // Devices that were deleted or skipped before the wave started have no job.
  const missing = devices - sumOf(counts);
  return {
    Number: number + 1,
    State: wave.passed === null ? 'Running' : 'Passed',
    JobId: wave.job_id ?? '',
    Devices: devices,
    Counts: { ...counts, ...(missing > 0 && { Cancelled: (counts.Cancelled ?? 0) + missing }) },
    Gate: {
      Success: success,
      BackOnline: back,
      Needed: needed,
      Passed: wave.passed !== null,
      BackTime: time(since === undefined ? undefined : since + online),
    },
    ...(wave.by_hand === 1 && { Advanced: true }),
    StartTime: time(wave.began),
    EndTime: time(wave.passed),
  };
}

export function summaryOf(row: RolloutRow, waves: readonly RolloutWave[]): RolloutSummary {
  const Counts: Record<string, number> = {};
  for (const wave of waves)
    for (const [state, count] of Object.entries(wave.Counts)) Counts[state] = (Counts[state] ?? 0) + count;
  const { ArtifactId, WorkflowId } = settingsOf(row);
  return {
    RolloutId: row.id,
    Name: row.name,
    State: row.state,
    Version: row.version,
    Because: row.because,
    Wave: row.wave + 1,
    WaveCount: row.waves,
    Devices: waves.reduce((sum, { Devices }) => sum + Devices, 0),
    Counts,
    ...(ArtifactId && { ArtifactId }),
    ...(WorkflowId && { WorkflowId }),
    CreatedTime: time(row.created),
    EndTime: time(row.ended),
  };
}

export async function full(db: Reader, row: RolloutRow, Waves: RolloutWave[], namesOf: ActorNames): Promise<Rollout> {
  const steps = await stepsOf(db, row.seq, MAX_STEPS);
  const actors = steps.map(({ actor }) => actor).filter((actor) => actor !== '');
  const names = await namesOf(db, row.account_id, actors);
  const { Gate, PauseAfter, Advance, StartTime, Windows = [], IncludeNew, DeviceGroup, TagId } = settingsOf(row);
  return {
    ...summaryOf(row, Waves),
    Waves,
    Steps: steps.map(({ at, actor, text, reason }) => ({
      Time: time(at),
      Actor: actor,
      ActorName: names.get(actor) ?? '',
      Text: text,
      Reason: reason,
    })),
    Settings: {
      Gate,
      PauseAfter,
      Advance,
      Windows,
      IncludeNew,
      ...(StartTime && { StartTime }),
      ...(DeviceGroup && { DeviceGroup }),
      ...(TagId && { TagId }),
    },
  };
}

/** The devices of a rollout, each with the same reason that the page of its job gives. */
export async function devicesIn(
  db: Reader,
  accountId: number,
  rows: readonly DeviceStateRow[],
): Promise<RolloutDevice[]> {
  const unexplained = rows.flatMap(({ state, job_id, verdict_because, reason }) =>
    state === 'Failed' && job_id !== null && !verdict_because && !reason ? [job_id] : [],
  );
  const codes = await exitCodesOf(db, accountId, unexplained);
  return rows.map((row) => {
    const code = codes.get(row.job_id ?? '');
    const device = deviceOf(row);
    return code === undefined ? device : { ...device, Because: `exit code ${code}` };
  });
}

function deviceOf(row: DeviceStateRow): RolloutDevice {
  const missing = row.has_begun === 1 && row.job_id === null && row.state === 'Cancelled';
  return {
    DeviceId: row.device_id,
    DeviceName: row.device_name,
    Wave: row.wave + 1,
    State: row.state,
    Because: row.verdict_because || row.reason || (missing ? 'It was deleted or left out before its wave began' : ''),
    JobId: row.job_id ?? '',
    Attempt: row.attempt ?? 0,
  };
}
