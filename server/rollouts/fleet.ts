// How rollouts resolve their payload and target devices, and cancel jobs that they no longer need.
import type { RolloutDraft } from '#/contract/rollouts.ts';
import { targetsOf } from '../jobs/targets.ts';
import { artifactById } from '../store/artifacts.ts';
import type { Reader, Tx } from '../store/database.ts';
import { cancelWaiting, withParents } from '../store/job-moves.ts';
import { sitesOf } from '../store/rollout-devices.ts';
import type { Scope } from '../store/scope.ts';
import { workflowById } from '../store/workflows.ts';

interface RolloutTarget {
  id: string;
  site: string;
  isOnline: boolean;
}

/** Throws if the artifact or workflow of a rollout does not exist. */
export async function requirePayload(
  db: Reader,
  accountId: number,
  { ArtifactId, WorkflowId }: Pick<RolloutDraft, 'ArtifactId' | 'WorkflowId'>,
): Promise<void> {
  if (ArtifactId) await artifactById(db, accountId, ArtifactId);
  else await workflowById(db, accountId, WorkflowId ?? '');
}

/** The devices that are selected at this moment; throws if there are none. */
export async function rolloutTargets(
  db: Reader,
  scope: Scope,
  choice: Pick<RolloutDraft, 'DeviceGroup' | 'TagId' | 'DeviceIds'>,
): Promise<RolloutTarget[]> {
  const targets = await targetsOf(db, scope, { Name: '', ...choice });
  const sites = await sitesOf(
    db,
    targets.map(({ seq }) => seq),
  );
  return targets.map(({ id, seq }) => {
    const { site = '', online = 0 } = sites.get(seq) ?? {};
    return { id, site, isOnline: online === 1 };
  });
}

/** Cancels the waiting jobs of waves, or of devices in them; jobs that a device has received continue. */
export async function cancelUnneeded(
  tx: Tx,
  jobs: readonly { seq: number; parentSeq: number | null }[],
  at: number,
): Promise<void> {
  const reason = 'The rollout no longer needs it';
  await withParents(tx, async (parents) => {
    for (const { seq, parentSeq } of jobs)
      await cancelWaiting(tx, { seq, parentSeq, isParent: parentSeq === null }, { at, reason }, parents);
  });
}
