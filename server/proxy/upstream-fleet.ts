// The fleet of the upstream service, for rollouts of a gateway. In the unit of work of a rollout its jobs are only noted:
// upstream-work.ts sends them, and reads what becomes of them.
import { artifactEndpoints } from '#/contract/artifacts.ts';
import type { Device } from '#/contract/devices.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { workflowEndpoints } from '#/contract/workflows.ts';
import { Problem } from '../http/problem.ts';
import { log } from '../operation/log.ts';
import type { RolloutFleet } from '../rollouts/fleet.ts';
import type { Database } from '../store/database.ts';
import { noteDevices, type SeenDevice } from '../store/upstream-fleet.ts';
import { cancelJob, insertAttempts, insertWaveJob } from '../store/upstream-jobs.ts';
import { chosenDevices } from './upstream-devices.ts';
import { UpstreamFailure, type UpstreamApi } from './upstream-api.ts';

/** What was read of the service last. */
export interface LastLook {
  /** The account that rollouts are carried on for; undefined until it is known. */
  account: number | undefined;
  /** When its devices were read completely. */
  at: number;
  /** The last look went wrong: nobody knows what runs. */
  failed: boolean;
}

interface UpstreamFleetOptions {
  api: UpstreamApi;
  db: Database;
  now: () => number;
  last: Readonly<LastLook>;
}

export const seenOf = ({ DeviceId: id, DeviceName: name, DeviceStatus }: Device): SeenDevice => ({
  id,
  name,
  isOnline: DeviceStatus === 'Online',
});

export const upstreamFleet = ({ api, db, now, last }: UpstreamFleetOptions): RolloutFleet => ({
  knownUntil: () => last.at,
  mayGoOn: ({ account_id, wave }) => account_id === last.account && (wave < 0 || (last.at > 0 && !last.failed)),

  requirePayload: async (_, { ArtifactId, WorkflowId }) => {
    const [kind, id] = ArtifactId ? ['artifact', ArtifactId] : ['workflow', WorkflowId ?? ''];
    const read = ArtifactId
      ? api.call(artifactEndpoints.get, { params: { artifact_id: id } })
      : api.call(workflowEndpoints.get, { params: { workflow_id: id } });
    await read.catch((cause: unknown) => {
      if (!(cause instanceof UpstreamFailure) || cause.status !== 404) throw cause;
      throw new Problem(404, `${api.host} has no ${kind} "${id}"`, 'It was deleted: choose another.');
    });
  },

  targets: async (accountId, choice) => {
    const devices = await chosenDevices(api, choice);
    const missing = new Set(choice.DeviceIds ?? []).size - devices.length;
    if (choice.DeviceIds && missing > 0)
      throw new Problem(404, `${api.host} does not list ${missing} of the devices`, 'Read the devices again.');
    if (devices.length === 0) throw new Problem(400, `${api.host} lists no such devices`, 'Letter case counts.');
    await db.write((tx) => noteDevices(tx, accountId, devices.map(seenOf), now()));
    return devices.map(({ DeviceId, DeviceStatus, CustomerSite = '' }) => ({
      id: DeviceId,
      site: CustomerSite,
      isOnline: DeviceStatus === 'Online',
    }));
  },

  artifactsUntil: async (_, id) => {
    const all = await api.call(artifactEndpoints.list, {});
    const timed = all.map((each) => ({ ...each, at: parseTimestamp(each.CreatedTime)?.getTime() }));
    const own = timed.find(({ ArtifactId }) => ArtifactId === id);
    if (!own) throw new Problem(404, `${api.host} has no artifact "${id}"`, 'It was deleted.');
    const at = own.at;
    if (at === undefined)
      throw new Problem(409, `${api.host} does not say when it was uploaded`, 'Roll the version before out yourself.');
    return timed
      .filter((each) => each === own || (each.at !== undefined && each.at < at))
      .toSorted((one, other) => (other.at ?? 0) - (one.at ?? 0))
      .map(({ ArtifactId, Name: name, Version: version }) => ({ id: ArtifactId, name, version }));
  },

  submit: (tx, { account }, job) => insertWaveJob(tx, { accountId: account.id, job }),
  retry: (tx, _, { seq }, deviceIds) => insertAttempts(tx, seq, deviceIds),
  cancel: (tx, { seq, parentSeq }) => cancelJob(tx, { seq, isWave: parentSeq === null }, now()),

  tellPaused: async (tx, { id, name }, because) =>
    tx.afterCommit(() => log.warn('A rollout is paused.', { rollout: id, name, because })),
  tellEnded: async (tx, { id, name }, { state, because }) =>
    tx.afterCommit(() => log.info('A rollout has ended.', { rollout: id, name, state, because })),
});
