// A rollout in the API's form: its waves with the figures of their gates, and its devices.
import type { Rollout, RolloutDevice, RolloutSummary, RolloutWave } from '#/contract/rollouts.ts';
import { printIsoTime } from '#/contract/timestamps.ts';
import { canPass, requiredDevices, type RolloutSituation } from '../rollouts/decide.ts';
import { figuresOf, type WaveVerdict } from '../rollouts/figures.ts';
import { pausedBy } from '../rollouts/pause.ts';
import { situationOf } from '../rollouts/situation.ts';
import type { Reader } from '../store/database.ts';
import {
  backSince,
  countWave,
  exitCodesOf,
  keptCounts,
  type DeviceStateRow,
  type StateCounts,
} from '../store/rollout-devices.ts';
import { findJob } from '../store/jobs.ts';
import {
  isWhole,
  plannedDevices,
  settingsOf,
  stepsOf,
  wavesOf,
  type RolloutRow,
  type StepRow,
  type WaveRow,
} from '../store/rollouts.ts';
import { isInScope, wholeAccount, type Scope } from '../store/scope.ts';

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
export function openWaveFigures(
  db: Reader,
  now: () => number,
): (scope: Scope, row: RolloutRow) => Promise<RolloutWave[]> {
  const remembered = new Map<string, { version: number; at: number; waves: Promise<RolloutWave[]> }>();
  return (asked, row) => {
    // Most rollouts are seen as a whole, and then everybody sees the same.
    const scope = isWhole(asked, row) ? wholeAccount(asked.accountId) : asked;
    if (row.kept !== null) return wavesIn(db, scope, row, now());
    const key = `${row.seq} ${JSON.stringify(scope.groups ?? '')}`;
    const known = remembered.get(key);
    const fresh = row.ended === null ? FRESH_MS : FRESH_ENDED_MS;
    if (known?.version === row.version && performance.now() - known.at < fresh) return known.waves;
    const waves = wavesIn(db, scope, row, now());
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(key, { version: row.version, at: performance.now(), waves });
    // Errors are not cached.
    waves.catch(() => remembered.delete(key));
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

async function wavesIn(db: Reader, scope: Scope, row: RolloutRow, now: number): Promise<RolloutWave[]> {
  const kept = await keptCounts(db, scope, row);
  const planned = kept
    ? kept.map((counts, wave) => ({ wave, devices: sumOf(counts), skipped: counts.Skipped ?? 0 }))
    : await plannedDevices(db, scope, row.seq);
  const startedWaves = await wavesOf(db, row.seq);
  return Promise.all(
    Array.from({ length: row.waves }, async (_, number) => {
      const { devices = 0, skipped = 0 } = planned.find(({ wave }) => wave === number) ?? {};
      const wave = startedWaves.find((each) => each.number === number);
      return wave
        ? startedWave(db, scope, row, { number, devices, skipped, wave, counts: kept?.[number], now })
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

interface StartedWave extends PlannedWave {
  wave: WaveRow;
  /** The counts stored when the rollout ended. */
  counts: StateCounts | undefined;
  now: number;
}

async function startedWave(
  db: Reader,
  scope: Scope,
  row: RolloutRow,
  { number, devices, skipped, wave, counts: kept, now }: StartedWave,
): Promise<RolloutWave> {
  const { Gate } = settingsOf(row);
  const online = Gate.OnlineMinutes * MINUTE;
  const counted = kept
    ? { counts: kept, back: kept.Succeeded ?? 0 }
    : await countWave(db, row, wave, now - online, scope);
  const { counts, back } = counted;
  const figures = figuresOf(counted);
  const { success } = figures;
  const needed = requiredDevices(figures.devices, Gate);
  // The figures that were stored are those of all devices.
  const verdict = wave.verdict === null || scope.groups ? undefined : (JSON.parse(wave.verdict) as WaveVerdict);
  // When the others will be back does not concern who does not see them.
  const isAwaited = !scope.groups && row.ended === null && wave.passed === null && back < needed && success >= needed;
  const since = isAwaited ? await backSince(db, row, wave, needed) : undefined;
  // Devices that were deleted or left out before the wave started have no job.
  const leftOut = Math.max(skipped, counts.Skipped ?? 0);
  const missing = devices - sumOf({ ...counts, Skipped: leftOut });
  return {
    Number: number + 1,
    State: wave.passed === null ? 'Running' : 'Passed',
    JobId: await jobIdOf(db, scope, wave),
    Devices: devices,
    Counts: {
      ...counts,
      ...(leftOut > 0 && { Skipped: leftOut }),
      ...(missing > 0 && { Cancelled: (counts.Cancelled ?? 0) + missing }),
    },
    Gate: {
      Success: verdict?.success ?? success,
      BackOnline: verdict?.back ?? back,
      Needed: verdict?.needed ?? needed,
      Passed: wave.passed !== null,
      BackTime: time(since === undefined ? undefined : since + online),
      ...(verdict && {
        Since: {
          Failed: Math.max(0, figures.failed - verdict.failed),
          Offline: Math.max(0, figures.away - verdict.away),
        },
      }),
    },
    ...(wave.by_hand === 1 && { Advanced: true }),
    StartTime: time(wave.started),
    EndTime: time(wave.passed),
  };
}

/** The id of a wave's job; '' before it starts, and if the scope sees none of its devices. */
const jobIdOf = async (db: Reader, scope: Scope, { job_id: id }: WaveRow): Promise<string> =>
  id === null || (scope.groups && !(await findJob(db, scope, id))) ? '' : id;

const NOT_SHOWN = 'The reason is not shown, because it also concerns devices outside your groups';

/** The reason of a rollout, which counts and may name devices. */
const becauseOf = (scope: Scope, row: RolloutRow) =>
  row.because === '' || isWhole(scope, row) ? row.because : NOT_SHOWN;

/** What was done, without anything that counts or names devices. */
const PLAIN_STEP =
  /^(Created|Paused|Resumed|Advanced|Retried|Aborted|Rolled back|All waves passed|Wave \d+ (?:began|passed))/;

/** The steps of a rollout that is seen in part. */
const plainSteps = (steps: readonly StepRow[]): StepRow[] =>
  steps.flatMap((step) => {
    const [text] = PLAIN_STEP.exec(step.text) ?? [];
    return text === undefined ? [] : [{ ...step, text, reason: '' }];
  });

export function summaryOf(scope: Scope, row: RolloutRow, waves: readonly RolloutWave[]): RolloutSummary {
  const counts = new Map<string, number>();
  for (const wave of waves)
    for (const [state, count] of Object.entries(wave.Counts)) counts.set(state, (counts.get(state) ?? 0) + count);
  const { ArtifactId, WorkflowId } = settingsOf(row);
  return {
    RolloutId: row.id,
    Name: row.name,
    State: row.state,
    Version: row.version,
    Because: becauseOf(scope, row),
    Wave: row.wave + 1,
    WaveCount: row.waves,
    Devices: waves.reduce((sum, { Devices }) => sum + Devices, 0),
    Counts: Object.fromEntries(counts),
    ...(ArtifactId && { ArtifactId }),
    ...(WorkflowId && { WorkflowId }),
    CreatedTime: time(row.created),
    EndTime: time(row.ended),
  };
}

/** Whether a resume would do anything: a wave whose gate cannot open any more stays where it is. */
export const canResume = ({ wave, isPassed, figures, settings }: RolloutSituation): boolean =>
  wave < 0 || isPassed || canPass(figures, settings.Gate);

interface FullView {
  db: Reader;
  scope: Scope;
  namesOf: ActorNames;
  now: number;
}

export async function full(
  { db, scope, namesOf, now }: FullView,
  row: RolloutRow,
  Waves: RolloutWave[],
): Promise<Rollout> {
  const all = await stepsOf(db, row.seq, MAX_STEPS);
  const steps = isWhole(scope, row) ? all : plainSteps(all);
  const actors = steps.map(({ actor }) => actor).filter((actor) => actor !== '');
  const names = await namesOf(db, row.account_id, actors);
  const { Gate, PauseAfter, Advance, StartTime, Windows = [], IncludeNew, DeviceGroup, TagId } = settingsOf(row);
  return {
    ...summaryOf(scope, row, Waves),
    ...(row.state === 'Paused' && {
      Paused: { By: pausedBy(row), CanResume: canResume(await situationOf(db, row, now)) },
    }),
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
      ...(DeviceGroup && isInScope(scope, DeviceGroup) && { DeviceGroup }),
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
