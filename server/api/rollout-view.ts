// A rollout in the API: its waves with the figures of their gates, and its devices.
import type { Rollout, RolloutDevice, RolloutSummary, RolloutWave } from '#/contract/rollouts.ts';
import { printIsoTime } from '#/contract/timestamps.ts';
import { neededOf } from '../rollouts/decide.ts';
import { figuresOf } from '../rollouts/figures.ts';
import type { Reader } from '../store/database.ts';
import { backSince, countWave, keptCounts, type DeviceStateRow } from '../store/rollout-devices.ts';
import { plannedIn, settingsOf, stepsOf, wavesOf, type RolloutRow } from '../store/rollouts.ts';

const MOST_STEPS = 200;
const MINUTE = 60_000;

/** Names of those who did something, by actor. */
export type ActorNames = (db: Reader, accountId: number, actors: string[]) => Promise<Map<string, string>>;

export const time = (at: number | null | undefined): string =>
  at === null || at === undefined ? '' : printIsoTime(new Date(at));

/** How long the figures of a rollout are shown to others who ask: many watch the same one. */
const FRESH_MS = 1_000;
/** Those of one that has ended change only while its last jobs run; after that they are kept. */
const FRESH_ENDED_MS = 60_000;
const MOST_REMEMBERED = 500;

/** `wavesIn`, for a moment the same for all who ask; a step begins it anew. */
export function openWaveFigures(db: Reader, knownUntil: () => number): (row: RolloutRow) => Promise<RolloutWave[]> {
  const remembered = new Map<number, { version: number; at: number; waves: Promise<RolloutWave[]> }>();
  return (row) => {
    const known = remembered.get(row.seq);
    const fresh = row.kept === 1 ? Number.POSITIVE_INFINITY : row.ended === null ? FRESH_MS : FRESH_ENDED_MS;
    if (known?.version === row.version && performance.now() - known.at < fresh) return known.waves;
    const waves = wavesIn(db, row, knownUntil());
    if (remembered.size >= MOST_REMEMBERED) remembered.clear();
    remembered.set(row.seq, { version: row.version, at: performance.now(), waves });
    // An error is of this reading only.
    waves.catch(() => remembered.delete(row.seq));
    return waves;
  };
}

async function wavesIn(db: Reader, row: RolloutRow, knownUntil: number): Promise<RolloutWave[]> {
  const { Gate } = settingsOf(row);
  const online = Gate.OnlineMinutes * MINUTE;
  const begun = await wavesOf(db, row.seq);
  const kept = row.kept === 1 ? await keptCounts(db, row.seq) : undefined;
  const planned_ = new Map((await plannedIn(db, row.seq)).map((each) => [each.wave, each]));
  const waves: RolloutWave[] = [];
  for (let number = 0; number < row.waves; number++) {
    const { devices = 0, skipped = 0 } = planned_.get(number) ?? {};
    const wave = begun.find((each) => each.number === number);
    if (!wave) {
      const Counts = {
        ...(devices > skipped && { Pending: devices - skipped }),
        ...(skipped > 0 && { Skipped: skipped }),
      };
      const none = {
        Success: 0,
        BackOnline: 0,
        Needed: neededOf(devices - skipped, Gate),
        Passed: false,
        BackTime: '',
      };
      waves.push({
        Number: number + 1,
        State: 'Pending',
        JobId: '',
        Devices: devices,
        Counts,
        Gate: none,
        StartTime: '',
        EndTime: '',
      });
      continue;
    }
    const counted = kept?.get(number) ?? (await countWave(db, row, wave, knownUntil - online));
    const figures = figuresOf(counted);
    const needed = neededOf(figures.devices, Gate);
    const isAwaited = row.ended === null && wave.passed === null && counted.back < needed && figures.success >= needed;
    const seen = Object.values(counted.counts).reduce((sum, count) => sum + count, 0);
    waves.push({
      Number: number + 1,
      State: wave.passed === null ? 'Running' : 'Passed',
      JobId: wave.job_id ?? '',
      Devices: devices,
      // Those that were deleted or left out before the wave began have no job.
      Counts: {
        ...counted.counts,
        ...(devices > seen && { Cancelled: (counted.counts.Cancelled ?? 0) + devices - seen }),
      },
      Gate: {
        Success: figures.success,
        BackOnline: counted.back,
        Needed: needed,
        Passed: wave.passed !== null,
        BackTime: isAwaited
          ? time(await backSince(db, row, wave, needed).then((since) => since && since + online))
          : '',
      },
      StartTime: time(wave.began),
      EndTime: time(wave.passed),
    });
  }
  return waves;
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
  const steps = await stepsOf(db, row.seq, MOST_STEPS);
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

export function deviceOf(row: DeviceStateRow): RolloutDevice {
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
