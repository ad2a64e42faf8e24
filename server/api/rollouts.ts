// Rollouts; an addition. What they do by themselves: rollouts/runner.ts.
import { ruleNameOf } from '#/contract/rule-name.ts';
import type { RolloutDraft, RolloutState, rolloutEndpoints } from '#/contract/rollouts.ts';
import type { Context } from '../context.ts';
import type { HandlerRequest, Handlers } from '../http/implement.ts';
import { idempotencyKey } from '../http/idempotency-key.ts';
import { Problem } from '../http/problem.ts';
import { targetsOf } from '../jobs/targets.ts';
import { figuresOf } from '../rollouts/figures.ts';
import { planWaves } from '../rollouts/plan.ts';
import { artifactById } from '../store/artifacts.ts';
import type { Reader, Tx } from '../store/database.ts';
import { cancelWaiting, refreshParents, type TouchedParents } from '../store/job-moves.ts';
import { jobById } from '../store/jobs.ts';
import {
  artifactsBefore,
  countWave,
  devicesOf,
  failedDevices,
  jobOfDevice,
  sitesOf,
  skipDevice,
  succeededDevices,
} from '../store/rollout-devices.ts';
import {
  deleteRollout,
  insertRollout,
  noteStep,
  rolloutById,
  rolloutsOf,
  settingsOf,
  setWave,
  stepsOf,
  stepTo,
  wavesOf,
  type RolloutRow,
} from '../store/rollouts.ts';
import { runOnce } from '../store/submissions.ts';
import { workflowById } from '../store/workflows.ts';
import { namesOf } from './audit-names.ts';
import { deviceOf, full, openWaveFigures, summaryOf, time } from './rollout-view.ts';

const DEFAULT_LIMIT = 100;
const OPEN: readonly RolloutState[] = ['Scheduled', 'Running', 'Waiting', 'Paused'];

type Steering = HandlerRequest & {
  params: { rollout_id: string };
  body: { Version: number; Reason?: string | undefined };
};

export function rolloutRoutes(context: Context): Handlers<typeof rolloutEndpoints> {
  const { db, audit, now, dispatch } = context;
  const wavesOfRow = openWaveFigures(db, now);

  /** One step of a person, on the version that they saw. */
  const steer = <Result>(
    request: Steering,
    { action, text, states }: { action: string; text: string; states: readonly RolloutState[] },
    change: (tx: Tx, row: RolloutRow) => Promise<{ to: Parameters<typeof stepTo>[2]; result: Result }>,
  ): Promise<Result> =>
    db.write(async (tx) => {
      const row = await rolloutById(tx, request.account.id, request.params.rollout_id);
      await requireVersion(tx, request, row);
      if (!states.includes(row.state))
        throw new Problem(409, `The rollout is ${row.state}`, `It cannot be ${text.toLowerCase()} in this state.`);
      const { to, result } = await change(tx, row);
      await stepTo(tx, row, to);
      const reason = request.body.Reason ?? '';
      await noteStep(tx, row, { at: now(), actor: request.actor, text, reason });
      await audit.record(tx, request, action, row.id);
      return result;
    });

  const begin = async (tx: Tx, request: HandlerRequest, draft: RolloutDraft): Promise<RolloutRow> => {
    const { DeviceIds: _, Waves: __, ...settings } = draft;
    const { waves, left } = await planned(tx, request.account.id, draft);
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
    create: (request) => {
      const submission = { accountId: request.account.id, key: idempotencyKey(request.http), content: request.body };
      return db.write(async (tx) => {
        const { id: RolloutId } = await runOnce(
          tx,
          submission,
          now(),
          async () => (await begin(tx, request, request.body)).id,
        );
        return { RolloutId };
      });
    },

    plan: async ({ account, body }) => {
      const { waves, left, offline } = await planned(db, account.id, body);
      return {
        Waves: waves.map((ids) => ({ Devices: ids, Offline: ids.filter((id) => offline.has(id)).length })),
        Left: left,
      };
    },

    list: async ({ account }) => {
      const rows = await rolloutsOf(db, account.id);
      return Promise.all(rows.map(async (row) => summaryOf(row, await wavesOfRow(row))));
    },

    get: async ({ account, params }) => {
      const row = await rolloutById(db, account.id, params.rollout_id);
      return full(db, row, await wavesOfRow(row));
    },

    devices: async ({ account, params, query: { limit, before } }) => {
      const row = await rolloutById(db, account.id, params.rollout_id);
      const most = Number(limit ?? DEFAULT_LIMIT);
      const [wave = '-1', id = ''] = (before ?? '').split('.');
      const rows = await devicesOf(db, row, { wave: Number(wave), id }, most + 1);
      const shown = rows.slice(0, most);
      const last = shown.at(-1);
      return { Items: shown.map(deviceOf), Next: rows.length > most && last ? `${last.wave}.${last.device_id}` : '' };
    },

    pause: (request) =>
      steer(
        request,
        { action: 'rollout.pause', text: 'Paused', states: ['Scheduled', 'Running', 'Waiting'] },
        async () => ({
          to: { state: 'Paused', because: 'A person paused it' },
          result: undefined,
        }),
      ),

    resume: (request) =>
      steer(request, { action: 'rollout.resume', text: 'Resumed', states: ['Paused'] }, async (tx, row) => {
        const wave = (await wavesOf(tx, row.seq)).at(-1);
        if (wave && wave.passed === null) {
          const { failed } = figuresOf(await countWave(tx, row, wave, now()));
          await setWave(tx, row.seq, { ...wave, began: now(), forgiven: failed });
        }
        return { to: { state: row.wave < 0 ? 'Scheduled' : 'Running', because: '' }, result: undefined };
      }),

    advance: (request) =>
      steer(request, { action: 'rollout.advance', text: 'Advanced', states: OPEN }, async (tx, row) => {
        const wave = (await wavesOf(tx, row.seq)).at(-1);
        if (wave && wave.passed === null) await setWave(tx, row.seq, { ...wave, passed: now() });
        return { to: { state: 'Running', because: '', confirmed: 1 }, result: undefined };
      }),

    retry: (request) =>
      steer(request, { action: 'rollout.retry', text: 'Retried', states: OPEN }, async (tx, row) => {
        const failed = Map.groupBy(await failedDevices(tx, row), ({ job_id }) => job_id);
        if (failed.size === 0) throw new Problem(409, 'No device has failed', 'There is nothing to try again.');
        for (const [RetryOf, devices] of failed) {
          const DeviceIds = devices.map(({ device_id }) => device_id);
          const { name: Name } = await jobById(tx, row.account_id, RetryOf);
          await dispatch.submitIn(tx, request, { Name, DeviceIds, RetryOf });
        }
        const wave = (await wavesOf(tx, row.seq)).at(-1);
        if (wave) await setWave(tx, row.seq, { ...wave, began: now(), forgiven: 0 });
        return { to: { state: 'Running', because: '' }, result: undefined };
      }),

    skip: (request) =>
      steer(
        request,
        { action: 'rollout.skip', text: `Left out ${request.body.DeviceId}`, states: OPEN },
        async (tx, row) => {
          const { DeviceId } = request.body;
          const job = await jobOfDevice(tx, row.seq, DeviceId);
          if (!(await skipDevice(tx, row.seq, DeviceId)))
            throw new Problem(404, `The device "${DeviceId}" is in no wave`, 'Read the devices of the rollout again.');
          if (job) await cancelOpen(tx, await jobById(tx, row.account_id, job.id));
          return { to: {}, result: undefined };
        },
      ),

    abort: (request) =>
      steer(request, { action: 'rollout.abort', text: 'Aborted', states: OPEN }, async (tx, row) => {
        for (const { job_id } of await wavesOf(tx, row.seq))
          if (job_id !== null) await cancelOpen(tx, await jobById(tx, row.account_id, job_id));
        return { to: { state: 'Aborted', because: request.body.Reason ?? '', ended: now() }, result: undefined };
      }),

    rollback: (request) =>
      steer(
        request,
        { action: 'rollout.rollback', text: 'Rolled back', states: ['Paused', 'Succeeded', 'Failed', 'Aborted'] },
        async (tx, row) => {
          const settings = settingsOf(row);
          const before = await versionBefore(tx, row.account_id, settings.ArtifactId);
          const ids = await succeededDevices(tx, row);
          if (ids.length === 0) throw new Problem(409, 'No device has taken it', 'There is nothing to roll back.');
          const { DeviceGroup: _, TagId: __, StartTime: ___, ...same } = settings;
          const made = await begin(tx, request, {
            ...same,
            Name: `Back to ${before.name} ${before.version}`.slice(0, 255),
            ArtifactId: before.id,
            DeviceIds: ids,
            Waves: [{ Count: 1 }, { Percent: 100 }],
            IncludeNew: false,
          });
          const isOver = !OPEN.includes(row.state);
          const to = isOver ? {} : { state: 'Aborted' as const, because: `Rolled back by ${made.id}`, ended: now() };
          return { to, result: { RolloutId: made.id } };
        },
      ),

    remove: (request) =>
      db.write(
        async (tx) => {
          const row = await rolloutById(tx, request.account.id, request.params.rollout_id);
          if (OPEN.includes(row.state))
            throw new Problem(409, `The rollout is ${row.state}`, 'Abort it first, or wait for its end.');
          await deleteRollout(tx, row.seq);
          await audit.record(tx, request, 'rollout.remove', row.id);
        },
        { essential: true },
      ),
  };

  /** Cancels what waits of a job; what an agent has goes on. */
  async function cancelOpen(tx: Tx, job: Awaited<ReturnType<typeof jobById>>): Promise<void> {
    const parents: TouchedParents = new Map();
    const which = { seq: job.seq, parentSeq: job.parent_seq, isParent: job.device_seq === null };
    await cancelWaiting(tx, which, { at: now(), reason: 'The rollout no longer needs it' }, parents);
    await refreshParents(tx, parents);
  }

  async function requireVersion(tx: Reader, request: Steering, row: RolloutRow): Promise<void> {
    if (request.body.Version === row.version) return;
    const [last] = await stepsOf(tx, row.seq, 1);
    const names = last && (await namesOf(tx, row.account_id, [{ actor: last.actor, action: '', target: '' }]));
    const who = last?.actor === '' ? 'the service' : names?.get(last?.actor ?? '') || last?.actor;
    throw new Problem(
      409,
      'The rollout has changed meanwhile',
      last ? `${last.text}, by ${who} at ${time(last.at)}. It is ${row.state} now.` : `It is ${row.state} now.`,
    );
  }
}

/** Which devices are in which wave, and who of them is Offline. What it runs must be there. */
async function planned(tx: Reader, accountId: number, draft: RolloutDraft) {
  const { Name, ArtifactId, WorkflowId, DeviceGroup, TagId, DeviceIds } = draft;
  if (ArtifactId) await artifactById(tx, accountId, ArtifactId);
  else await workflowById(tx, accountId, WorkflowId ?? '');
  const target = { ...(DeviceGroup && { DeviceGroup }), ...(TagId && { TagId }), ...(DeviceIds && { DeviceIds }) };
  const targets = await targetsOf(tx, accountId, { Name, ...target });
  const sites = await sitesOf(
    tx,
    targets.map(({ seq }) => seq),
  );
  const devices = targets.map(({ id, seq }) => ({ id, site: sites.get(seq)?.site ?? '' }));
  const offline = new Set(targets.filter(({ seq }) => !sites.get(seq)?.online).map(({ id }) => id));
  return { ...planWaves(devices, draft.Waves), offline };
}

async function versionBefore(tx: Reader, accountId: number, artifactId = '') {
  if (artifactId === '') throw new Problem(409, 'A workflow has no version before', 'Roll out what undoes it.');
  const artifact = await artifactById(tx, accountId, artifactId);
  const name = ruleNameOf(artifact.name, artifact.version);
  const before = (await artifactsBefore(tx, accountId, artifactId)).find(
    (each) => ruleNameOf(each.name, each.version) === name,
  );
  if (!before)
    throw new Problem(409, `There is no version of ${name} before this one`, 'Upload it, and roll that out.');
  return before;
}
