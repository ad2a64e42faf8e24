// Carries out standing orders: submits one job for the devices of a group that lack the version, in the unit of work
// that records which devices got it, so that a crash at any point neither duplicates nor loses a job.
import { MOST_DEVICES } from '#/contract/job-draft.ts';
import { isOver } from '#/contract/rollouts.ts';
import { ruleNameOf } from '#/contract/rule-name.ts';
import type { Dispatch } from '../jobs/dispatch.ts';
import { findArtifact } from '../store/artifacts.ts';
import { isStillPermitted } from '../store/current-rights.ts';
import type { Database, Reader, Tx } from '../store/database.ts';
import { jobById } from '../store/jobs.ts';
import { wholeAccount } from '../store/scope.ts';
import { rolloutsOf, settingsOf } from '../store/rollouts.ts';
import {
  activeStandingOrders,
  devicesToDeploy,
  findStandingOrder,
  noteDeployed,
  type ClaimedByRollouts,
  type StandingOrderRow,
} from '../store/standing-orders.ts';
import { openLookPace } from './look-pace.ts';

const MAX_NAME_LENGTH = 255;

/** The unfinished rollouts of the same artifact; undefined if one of them takes all devices that join the group. */
async function claimedByRollouts(db: Reader, order: StandingOrderRow): Promise<ClaimedByRollouts | undefined> {
  const rolloutSeqs: number[] = [];
  const tagIds: string[] = [];
  for (const row of await rolloutsOf(db, wholeAccount(order.account_id))) {
    const { ArtifactId, DeviceGroup, TagId, IncludeNew } = settingsOf(row);
    if (isOver(row.state) || !ArtifactId) continue;
    const artifact = await findArtifact(db, ArtifactId);
    if (!artifact || ruleNameOf(artifact.name, artifact.version) !== order.artifact_name) continue;
    rolloutSeqs.push(row.seq);
    if (!IncludeNew || row.wave === row.waves - 1) continue;
    if (DeviceGroup === order.grp) return undefined;
    if (TagId) tagIds.push(TagId);
  }
  return { rolloutSeqs, tagIds };
}

async function lacking(db: Reader, order: StandingOrderRow, limit: number) {
  const claimed = await claimedByRollouts(db, order);
  return claimed ? devicesToDeploy(db, order, claimed, limit) : [];
}

/** Returns a function that checks all standing orders once. */
export function openStandingOrders({
  db,
  now,
  dispatch,
  steady,
}: {
  db: Database;
  now: () => number;
  dispatch: Pick<Dispatch, 'submitIn'>;
  steady?: (() => number) | undefined;
}): () => Promise<void> {
  const deploy = async (tx: Tx, { account_id: account, name }: StandingOrderRow): Promise<void> => {
    // Read again, because somebody may have changed it in the meantime.
    const order = await findStandingOrder(tx, wholeAccount(account), name);
    if (!order?.has_artifact || !(await isStillPermitted(tx, order, now()))) return;
    const devices = await lacking(tx, order, MOST_DEVICES);
    if (devices.length === 0) return;
    const caller = { account: { id: account, email: '' }, actor: order.actor, address: order.address };
    const Name = `${order.name}: ${order.artifact_name} ${order.artifact_version}`.slice(0, MAX_NAME_LENGTH);
    const draft = { Name, ArtifactId: order.artifact_id, DeviceIds: devices.map(({ id }) => id) };
    const job = await jobById(tx, wholeAccount(account), await dispatch.submitIn(tx, caller, draft));
    await noteDeployed(
      tx,
      order.seq,
      job.seq,
      devices.map(({ seq }) => seq),
    );
  };

  const pace = openLookPace(steady);
  return async () => {
    const orders = await activeStandingOrders(db);
    pace.keep(orders.map(({ seq }) => seq));
    for (const order of orders) {
      const found = await pace.look(order.seq, () => lacking(db, order, 1));
      if (found?.length) await db.write((tx) => deploy(tx, order), { patient: true });
    }
  };
}
