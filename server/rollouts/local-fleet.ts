// The fleet of this service itself, for its rollouts: jobs are submitted in the unit of work of the rollout.
import { targetsOf } from '../jobs/targets.ts';
import type { Dispatch } from '../jobs/dispatch.ts';
import { artifactById } from '../store/artifacts.ts';
import type { Database } from '../store/database.ts';
import { cancelWaiting, refreshParents, type TouchedParents } from '../store/job-moves.ts';
import { jobById } from '../store/jobs.ts';
import { artifactsBefore, sitesOf } from '../store/rollout-devices.ts';
import { workflowById } from '../store/workflows.ts';
import type { RolloutFleet } from './fleet.ts';
import { alertEnded, alertPaused } from './rollout-alerts.ts';

interface LocalFleetOptions {
  db: Database;
  now: () => number;
  dispatch: Pick<Dispatch, 'submitIn'>;
}

export const localFleet = ({ db, now, dispatch }: LocalFleetOptions): RolloutFleet => ({
  knownUntil: now,
  mayGoOn: () => true,

  requirePayload: async (accountId, { ArtifactId, WorkflowId }) => {
    if (ArtifactId) await artifactById(db, accountId, ArtifactId);
    else await workflowById(db, accountId, WorkflowId ?? '');
  },

  targets: async (accountId, choice) => {
    const targets = await targetsOf(db, accountId, { Name: '', ...choice });
    const sites = await sitesOf(
      db,
      targets.map(({ seq }) => seq),
    );
    return targets.map(({ id, seq }) => {
      const { site = '', online = 0 } = sites.get(seq) ?? {};
      return { id, site, isOnline: online === 1 };
    });
  },

  artifactsUntil: async (accountId, id) => {
    const { name, version } = await artifactById(db, accountId, id);
    return [{ id, name, version }, ...(await artifactsBefore(db, accountId, id))];
  },

  submit: async (tx, caller, job) => {
    const { seq } = await jobById(tx, caller.account.id, await dispatch.submitIn(tx, caller, job));
    return seq;
  },

  retry: async (tx, caller, { id, name }, DeviceIds) => {
    await dispatch.submitIn(tx, caller, { Name: name, DeviceIds, RetryOf: id });
  },

  cancel: async (tx, { seq, parentSeq }) => {
    const parents: TouchedParents = new Map();
    const reason = 'The rollout no longer needs it';
    await cancelWaiting(tx, { seq, parentSeq, isParent: parentSeq === null }, { at: now(), reason }, parents);
    await refreshParents(tx, parents);
  },

  tellPaused: (tx, row, because) => alertPaused(tx, row, because, now()),
  tellEnded: (tx, row, end) => alertEnded(tx, row, end, now()),
});
