// Rollouts, an addition. rollouts/runner.ts advances them automatically.
import { ruleNameOf } from '#/contract/rule-name.ts';
import type { AuditAction } from '#/contract/audit-actions.ts';
import type { RolloutDraft, RolloutState, rolloutEndpoints } from '#/contract/rollouts.ts';
import type { HandlerRequest, Handlers } from '../http/implement.ts';
import { idempotencyKey } from '../http/idempotency-key.ts';
import { Problem } from '../http/problem.ts';
import { decide } from '../rollouts/decide.ts';
import { verdictOn } from '../rollouts/figures.ts';
import { PAUSED_BY_PERSON, pausedBy } from '../rollouts/pause.ts';
import { situationOf } from '../rollouts/situation.ts';
import type { Dispatch } from '../jobs/dispatch.ts';
import { cancelUnneeded, requirePayload, rolloutTargets } from '../rollouts/fleet.ts';
import { alertEnded } from '../rollouts/rollout-alerts.ts';
import { zoneDataOf } from '../rollouts/zone-data.ts';
import { planWaves, type WavePlan } from '../rollouts/plan.ts';
import { requireRole } from '../http/require-permission.ts';
import { artifactById } from '../store/artifacts.ts';
import type { Audit } from '../store/audit.ts';
import type { Database, Reader, Tx } from '../store/database.ts';
import {
  artifactsBefore,
  devicesOf,
  failedDevices,
  runsOf,
  skipDevices,
  statesOf,
  succeededDevices,
  waitingJobs,
} from '../store/rollout-devices.ts';
import {
  deleteRollout,
  isWhole,
  insertRollout,
  noteStep,
  rolloutById,
  rolloutsOf,
  settingsOf,
  setBeginner,
  setWave,
  stepsOf,
  applyStep,
  wavesOf,
  type RolloutRow,
} from '../store/rollouts.ts';
import { ReachesOutside } from '../store/errors.ts';
import { scopeOf } from '../store/scope.ts';
import type { Scope } from '../store/scope.ts';
import { runOnce } from '../store/submissions.ts';
import { canResume, devicesIn, full, openWaveFigures, summaryOf, time, type ActorNames } from './rollout-view.ts';

const DEFAULT_LIMIT = 100;
const OPEN: readonly RolloutState[] = ['Scheduled', 'Running', 'Waiting', 'Paused'];

/** Both ends of "from-to". */
function spanOf(text: string | undefined): { from: number; to: number } | undefined {
  const [from, to] = (text ?? '').split('-').map(Number);
  return from === undefined || to === undefined ? undefined : { from, to };
}

type StepRequest = HandlerRequest & {
  params: { rollout_id: string };
  body: { Version: number; Reason?: string | undefined };
};

interface Step {
  action: AuditAction;
  text: string;
  /** In which it can be taken. */
  states: readonly RolloutState[];
  /** Whether devices may run something because of it. */
  runs?: boolean;
}

interface Change<Result> {
  to: Parameters<typeof applyStep>[2];
  result: Result;
  /** What the history says, if that is more than the name of the step. */
  noted?: string;
}

const either = (states: readonly string[]): string => new Intl.ListFormat('en', { type: 'disjunction' }).format(states);
const devicesText = (count: number): string => `${count} ${count === 1 ? 'device' : 'devices'}`;

interface RolloutRoutesOptions {
  db: Database;
  now: () => number;
  dispatch: Pick<Dispatch, 'submitIn'>;
  audit: Pick<Audit, 'record'>;
  namesOf: ActorNames;
}

export function rolloutRoutes(options: RolloutRoutesOptions): Handlers<typeof rolloutEndpoints> {
  const { db, audit, now, dispatch, namesOf } = options;
  const wavesOfRow = openWaveFigures(db, now);

  /** Throws unless all devices of a rollout are in the scope. `deleted`: those that were deleted too. */
  const requireAll = (scope: Scope, row: RolloutRow, deleted: boolean): void => {
    if (deleted ? isWhole(scope, row) : (row.part?.outside ?? 0) === 0) return;
    throw new ReachesOutside(
      'It also concerns devices that are not in your groups. Somebody whose role is not limited to groups can do this.',
    );
  };

  /** Applies a person's step to the version that they saw. */
  const takeStep = <Result>(
    request: StepRequest,
    { action, text, states, runs = false }: Step,
    change: (tx: Tx, row: RolloutRow) => Promise<Change<Result>>,
  ): Promise<Result> =>
    db.write(async (tx) => {
      const scope = scopeOf(request);
      const row = await rolloutById(tx, scope, request.params.rollout_id);
      requireAll(scope, row, false);
      if (runs && settingsOf(row).WorkflowId) requireRole(request, 'connect');
      await requireVersion(tx, request, row);
      if (!states.includes(row.state))
        throw new Problem(409, `The rollout is ${row.state}`, `This works only while it is ${either(states)}.`);
      const { to, result, noted = text } = await change(tx, row);
      await applyStep(tx, row, to);
      const reason = request.body.Reason ?? '';
      await noteStep(tx, row, { at: now(), actor: request.actor, text: noted, reason });
      await audit.record(tx, request, action, row.id);
      return result;
    });

  /** Plans the waves, and says which devices are Offline. Throws if the artifact or workflow does not exist. */
  const planned = async (scope: Scope, draft: RolloutDraft) => {
    const { DeviceGroup, TagId, DeviceIds } = draft;
    await requirePayload(db, scope.accountId, draft);
    if (scope.groups && TagId)
      throw new ReachesOutside(
        'Devices of any group can have a tag, also later. Nothing was planned: choose one of your groups, or select devices.',
      );
    const choice = { ...(DeviceGroup && { DeviceGroup }), ...(TagId && { TagId }), ...(DeviceIds && { DeviceIds }) };
    const targets = await rolloutTargets(db, scope, choice);
    const offline = new Set(targets.filter(({ isOnline }) => !isOnline).map(({ id }) => id));
    return { ...planWaves(targets, draft.Waves), offline };
  };

  const begin = async (
    tx: Tx,
    request: HandlerRequest,
    draft: RolloutDraft,
    { waves, left }: WavePlan,
  ): Promise<RolloutRow> => {
    const { DeviceIds: _, Waves: __, ...settings } = draft;
    const row = await insertRollout(tx, {
      caller: request,
      draft: settings,
      waves: left.length > 0 ? [...waves, left] : waves,
      at: now(),
    });
    await noteStep(tx, row, { at: now(), actor: request.actor, text: 'Created', reason: '' });
    await audit.record(tx, request, 'rollout.create', row.id);
    return row;
  };

  return {
    create: async (request) => {
      // Planned outside the unit of work, for which all other writes would wait. A repeated request does not need the
      // plan.
      const [plan] = await Promise.allSettled([planned(scopeOf(request), request.body)]);
      const submission = { accountId: request.account.id, key: idempotencyKey(request.http), content: request.body };
      return db.write(async (tx) => {
        const { id: RolloutId } = await runOnce(tx, submission, now(), async () => {
          if (plan.status === 'rejected') throw plan.reason;
          return (await begin(tx, request, request.body, plan.value)).id;
        });
        return { RolloutId };
      });
    },

    plan: async (request) => {
      const { waves, left, offline } = await planned(scopeOf(request), request.body);
      return {
        Waves: waves.map((ids) => ({ Devices: ids, Offline: ids.filter((id) => offline.has(id)).length })),
        Left: left,
        ...(await zoneDataOf(request.body.Windows, now())),
      };
    },

    list: async (request) => {
      const scope = scopeOf(request);
      const rows = await rolloutsOf(db, scope);
      return Promise.all(rows.map(async (row) => summaryOf(scope, row, await wavesOfRow(scope, row))));
    },

    get: async (request) => {
      const scope = scopeOf(request);
      const row = await rolloutById(db, scope, request.params.rollout_id);
      return {
        ...(await full({ db, scope, namesOf, now: now() }, row, await wavesOfRow(scope, row))),
        ...(await zoneDataOf(settingsOf(row).Windows, now())),
      };
    },

    devices: async (request) => {
      const { limit, before, state, wave: only, during, took } = request.query;
      const scope = scopeOf(request);
      const row = await rolloutById(db, scope, request.params.rollout_id);
      const most = Number(limit ?? DEFAULT_LIMIT);
      const [wave = '-1', id = ''] = (before ?? '').split('.');
      const rows = await devicesOf(db, scope, row, {
        after: { wave: Number(wave), id },
        state,
        wave: only === undefined ? undefined : Number(only) - 1,
        during: spanOf(during),
        took: spanOf(took),
        limit: most + 1,
      });
      const shown = rows.slice(0, most);
      const last = shown.at(-1);
      return {
        Items: await devicesIn(db, scope.accountId, shown),
        Next: rows.length > most && last ? `${last.wave}.${last.device_id}` : '',
      };
    },

    states: async (request) => {
      const scope = scopeOf(request);
      const rows = await statesOf(db, scope, await rolloutById(db, scope, request.params.rollout_id));
      return [...Map.groupBy(rows, ({ wave, state }) => `${wave} ${state}`).values()].flatMap((group) =>
        group.slice(0, 1).map(({ wave, state }) => ({
          Wave: wave + 1,
          State: state,
          DeviceIds: group.map(({ device_id }) => device_id),
        })),
      );
    },

    runs: async (request) => {
      const scope = scopeOf(request);
      const rows = await runsOf(db, scope, await rolloutById(db, scope, request.params.rollout_id));
      return rows.map((row) => ({
        DeviceId: row.device_id,
        DeviceName: row.device_name,
        Wave: row.wave + 1,
        State: row.state,
        JobId: row.job_id ?? '',
        StartTime: time(row.started),
        EndTime: time(row.ended),
      }));
    },

    pause: (request) =>
      takeStep(
        request,
        { action: 'rollout.pause', text: 'Paused', states: ['Scheduled', 'Running', 'Waiting'] },
        async () => ({
          to: PAUSED_BY_PERSON,
          result: undefined,
        }),
      ),

    resume: (request) =>
      takeStep(
        request,
        { action: 'rollout.resume', text: 'Resumed', states: ['Paused'], runs: true },
        async (tx, row) => {
          const situation = await situationOf(tx, row, now());
          if (!canResume(situation)) throw cannotResume(row, situation.figures);
          const wave = (await wavesOf(tx, row.seq)).at(-1);
          if (wave && wave.passed === null)
            await setWave(tx, row.seq, { ...wave, began: now(), forgiven: situation.figures.failed });
          // Whoever started it may no longer be permitted to: from now on it runs with the rights of who resumes it.
          await setBeginner(tx, row, request);
          return { to: { state: row.wave < 0 ? 'Scheduled' : 'Running', because: '' }, result: undefined };
        },
      ),

    advance: (request) =>
      takeStep(request, { action: 'rollout.advance', text: 'Advanced', states: OPEN, runs: true }, async (tx, row) => {
        if (row.wave < 0)
          throw new Problem(
            409,
            'No wave has started',
            'The first one waits for its start time or maintenance window.',
          );
        const wave = (await wavesOf(tx, row.seq)).at(-1);
        if (wave && wave.passed === null) {
          const verdict = JSON.stringify(verdictOn(await situationOf(tx, row, now())));
          await setWave(tx, row.seq, { ...wave, passed: now(), by_hand: 1, verdict });
        }
        await takeOver(tx, request, row);
        return { to: { state: 'Running', because: '', confirmed: 1 }, result: undefined };
      }),

    retry: (request) =>
      takeStep(request, { action: 'rollout.retry', text: 'Retried', states: OPEN, runs: true }, async (tx, row) => {
        const { DeviceIds: only } = request.body;
        const asked = only && new Set(only);
        const all = await failedDevices(tx, row);
        const retried = asked ? all.filter(({ device_id }) => asked.has(device_id)) : all;
        if (retried.length === 0)
          throw new Problem(
            409,
            asked ? 'None of these devices has failed' : 'No device has failed',
            'There is nothing to try again.',
          );
        for (const devices of Map.groupBy(retried, ({ seq }) => seq).values()) {
          const DeviceIds = devices.map(({ device_id }) => device_id);
          const [job] = devices;
          if (job) await dispatch.submitIn(tx, request, { Name: job.name, DeviceIds, RetryOf: job.id });
        }
        const wave = (await wavesOf(tx, row.seq)).at(-1);
        // A person who retries only some devices knows about the other failures.
        const inWave = (devices: typeof all) => devices.filter(({ seq }) => seq === wave?.job_seq).length;
        const forgiven = inWave(all) - inWave(retried);
        if (wave && wave.passed === null) await setWave(tx, row.seq, { ...wave, began: now(), forgiven });
        await takeOver(tx, request, row);
        return { to: { state: 'Running', because: '' }, result: undefined };
      }),

    skip: (request) =>
      takeStep(request, { action: 'rollout.skip', text: 'Left out devices', states: OPEN }, async (tx, row) => {
        const asked = [...new Set(request.body.DeviceIds)];
        const jobs = await waitingJobs(tx, row.seq, asked);
        const skipped = await skipDevices(tx, row.seq, asked);
        const known = new Set(skipped.map(({ device_id }) => device_id));
        const unknown = asked.find((id) => !known.has(id));
        if (unknown !== undefined)
          throw new Problem(404, `The device "${unknown}" is in no wave`, 'Read the devices of the rollout again.');
        await cancelUnneeded(
          tx,
          jobs.map(({ seq, parent_seq: parentSeq }) => ({ seq, parentSeq })),
          now(),
        );
        const [first] = skipped;
        const what = skipped.length === 1 && first ? first.device_name : devicesText(skipped.length);
        const isOfWave = skipped.some(({ wave }) => wave === row.wave);
        return {
          to: isOfWave ? await withoutSkipped(tx, request, row) : {},
          result: undefined,
          noted: `Left out ${what}`,
        };
      }),

    abort: (request) =>
      takeStep(request, { action: 'rollout.abort', text: 'Aborted', states: OPEN }, async (tx, row) => {
        const jobs = (await wavesOf(tx, row.seq)).flatMap(({ job_seq: seq }) => seq ?? []);
        await cancelUnneeded(
          tx,
          jobs.map((seq) => ({ seq, parentSeq: null })),
          now(),
        );
        const because = request.body.Reason ?? '';
        await alertEnded(tx, row, { state: 'Aborted', because }, now());
        return { to: { state: 'Aborted', because, ended: now() }, result: undefined };
      }),

    rollback: async (request) => {
      const draft = await rollbackDraft(scopeOf(request), request.params.rollout_id);
      const plan = await planned(scopeOf(request), draft);
      return takeStep(
        request,
        { action: 'rollout.rollback', text: 'Rolled back', states: ['Paused', 'Succeeded', 'Failed', 'Aborted'] },
        async (tx, row) => {
          const made = await begin(tx, request, draft, plan);
          const result = { RolloutId: made.id };
          if (!OPEN.includes(row.state)) return { to: {}, result };
          const because = `Rolled back by ${made.name}`;
          await alertEnded(tx, row, { state: 'Aborted', because }, now());
          return { to: { state: 'Aborted' as const, because, ended: now() }, result };
        },
      );
    },

    remove: (request) =>
      db.write(
        async (tx) => {
          const scope = scopeOf(request);
          const row = await rolloutById(tx, scope, request.params.rollout_id);
          requireAll(scope, row, true);
          if (OPEN.includes(row.state))
            throw new Problem(409, `The rollout is ${row.state}`, 'Abort it first, or wait for its end.');
          await deleteRollout(tx, row.seq);
          await audit.record(tx, request, 'rollout.remove', row.id, row.name);
        },
        { essential: true },
      ),
  };

  /** Why a resume is refused, and what to do instead. */
  function cannotResume(row: RolloutRow, { failed, devices }: { failed: number; devices: number }): Problem {
    const anyway = row.wave < row.waves - 1 ? `begin wave ${row.wave + 2} anyway` : 'finish without them';
    return new Problem(
      409,
      `Wave ${row.wave + 1} cannot pass any more`,
      `${failed} of ${devicesText(devices)} failed. Retry them, leave them out, or ${anyway}.`,
    );
  }

  /** What was paused because its beginner may no longer deploy goes on in the name of who takes it up. */
  async function takeOver(tx: Tx, request: HandlerRequest, row: RolloutRow): Promise<void> {
    if (row.state === 'Paused' && pausedBy(row) === 'Rights') await setBeginner(tx, row, request);
  }

  /** What becomes of a rollout whose wave has fewer devices now: what its gate paused goes on, unless it would pause again. */
  async function withoutSkipped(tx: Tx, request: StepRequest, row: RolloutRow): Promise<Change<void>['to']> {
    const wave = (await wavesOf(tx, row.seq)).at(-1);
    if (!wave || wave.passed !== null) return {};
    const at = now();
    const isStopped = row.state === 'Paused' && pausedBy(row) === 'Gate';
    const situation = await situationOf(tx, row, at);
    const forgiven = Math.min(wave.forgiven, situation.figures.failed);
    const began = isStopped ? at : wave.began;
    const decision = decide({ ...situation, state: 'Running', began, forgiven });
    if (isStopped && decision.do === 'pause') return { because: decision.because };
    await setWave(tx, row.seq, { ...wave, began, forgiven });
    if (!isStopped) return {};
    if (settingsOf(row).WorkflowId) requireRole(request, 'connect');
    return { state: 'Running', because: '' };
  }

  /** Drafts a rollout of the previous version to exactly the devices on which this one succeeded. */
  async function rollbackDraft(scope: Scope, id: string): Promise<RolloutDraft> {
    const row = await rolloutById(db, scope, id);
    requireAll(scope, row, false);
    const { DeviceGroup: _, TagId: __, StartTime: ___, ...same } = settingsOf(row);
    const before = await previousVersion(db, scope.accountId, same.ArtifactId);
    const DeviceIds = await succeededDevices(db, row);
    if (DeviceIds.length === 0) throw new Problem(409, 'No device has taken it', 'There is nothing to roll back.');
    return {
      ...same,
      Name: `Back to ${before.name} ${before.version}`.slice(0, 255),
      ArtifactId: before.id,
      DeviceIds,
      Waves: [{ Count: 1 }, { Percent: 100 }],
      IncludeNew: false,
    };
  }

  async function requireVersion(tx: Reader, request: StepRequest, row: RolloutRow): Promise<void> {
    if (request.body.Version === row.version) return;
    const [last] = await stepsOf(tx, row.seq, 1);
    const names = last && (await namesOf(tx, row.account_id, [last.actor]));
    const who = last?.actor === '' ? 'the service' : names?.get(last?.actor ?? '') || last?.actor;
    throw new Problem(
      409,
      'The rollout has changed meanwhile',
      last ? `${last.text}, by ${who} at ${time(last.at)}. It is ${row.state} now.` : `It is ${row.state} now.`,
    );
  }
}

async function previousVersion(db: Reader, accountId: number, artifactId: string | undefined) {
  if (!artifactId) throw new Problem(409, 'A workflow has no version before', 'Roll out what undoes it.');
  const artifact = await artifactById(db, accountId, artifactId);
  const name = ruleNameOf(artifact.name, artifact.version);
  const earlier = await artifactsBefore(db, accountId, artifactId);
  const before = earlier.find((each) => ruleNameOf(each.name, each.version) === name);
  if (!before)
    throw new Problem(409, `There is no version of ${name} before this one`, 'Upload it, and roll that out.');
  return before;
}
