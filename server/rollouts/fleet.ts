// What rollouts read of the fleet, and how they cancel what they no longer need.
import type { RolloutDraft } from '#/contract/rollouts.ts';
import { targetsOf } from '../jobs/targets.ts';
import { artifactById } from '../store/artifacts.ts';
import type { Reader, Tx } from '../store/database.ts';
import { cancelWaiting, withParents } from '../store/job-moves.ts';
import { sitesOf } from '../store/rollout-devices.ts';
import { workflowById } from '../store/workflows.ts';

interface RolloutTarget {
  id: string;
  site: string;
  isOnline: boolean;
}

/** Throws if what a rollout would run is not there. */
export async function requirePayload(
  db: Reader,
  accountId: number,
  { ArtifactId, WorkflowId }: Pick<RolloutDraft, 'ArtifactId' | 'WorkflowId'>,
): Promise<void> {
  if (ArtifactId) await artifactById(db, accountId, ArtifactId);
  else await workflowById(db, accountId, WorkflowId ?? '');
}

/** The devices that are chosen at this moment; throws if there are none. */
export async function rolloutTargets(
  db: Reader,
  accountId: number,
  choice: Pick<RolloutDraft, 'DeviceGroup' | 'TagId' | 'DeviceIds'>,
): Promise<RolloutTarget[]> {
  const targets = await targetsOf(db, accountId, { Name: '', ...choice });
  const sites = await sitesOf(
    db,
    targets.map(({ seq }) => seq),
  );
  return targets.map(({ id, seq }) => {
    const { site = '', online = 0 } = sites.get(seq) ?? {};
    return { id, site, isOnline: online === 1 };
  });
}

/** Cancels what waits of the job of a wave, or of one device in it; what a device has received goes on. */
export async function cancelUnneeded(
  tx: Tx,
  { seq, parentSeq }: { seq: number; parentSeq: number | null },
  at: number,
): Promise<void> {
  const job = { seq, parentSeq, isParent: parentSeq === null };
  const reason = 'The rollout no longer needs it';
  await withParents(tx, (parents) => cancelWaiting(tx, job, { at, reason }, parents));
}
