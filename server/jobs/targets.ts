// Resolves the target devices of a submission, and refuses the whole submission before anything is written.
import type { JobDraft } from '#/contract/job-draft.ts';
import { Conflict, InvalidInput, NotFound, ReachesOutside } from '../store/errors.ts';
import type { Reader } from '../store/database.ts';
import { deviceById } from '../store/devices.ts';
import { devicesInScope, devicesOfGroup, devicesOfList, devicesOfTag, lastAttempts } from '../store/job-submissions.ts';
import type { LastAttempt, Target } from '../store/job-submissions.ts';
import { jobById } from '../store/jobs.ts';
import type { JobRow } from '../store/jobs.ts';
import { reachesOutside } from '../store/job-scope.ts';
import type { WithDeleted } from '../store/job-scope.ts';
import { isInScope } from '../store/scope.ts';
import type { Scope } from '../store/scope.ts';
import { requireTag } from '../store/tags.ts';

/** The devices that a job targets at this moment; throws if any is outside the scope. */
export async function targetsOf(
  db: Reader,
  scope: Scope,
  { DeviceId, DeviceGroup, TagId, DeviceIds }: JobDraft,
): Promise<Target[]> {
  if (DeviceId) return [await deviceById(db, scope, DeviceId)];
  if (DeviceIds) return listed(db, scope, [...new Set(DeviceIds)]);
  if (TagId) {
    await requireTag(db, scope.accountId, TagId);
    const tagged = await devicesOfTag(db, scope.accountId, TagId);
    const own = await devicesInScope(db, scope, tagged);
    if (own.length < tagged.length)
      throw new ReachesOutside(
        `${countOf(own.length)} with this tag ${own.length === 1 ? 'is' : 'are'} in your groups. Nothing was submitted: select your devices instead of the tag.`,
      );
    return someOf(tagged, `The tag "${TagId}" is on no device`, 'Put it on a device first.');
  }
  const group = DeviceGroup ?? '';
  return someOf(
    isInScope(scope, group) ? await devicesOfGroup(db, scope.accountId, group) : [],
    `The group "${group}" has no devices`,
    'Letter case counts; a device is in the group that its DeviceGroup names.',
  );
}

const countOf = (devices: number) => `${devices} ${devices === 1 ? 'device' : 'devices'}`;

function someOf(devices: Target[], title: string, detail: string): Target[] {
  if (devices.length === 0) throw new InvalidInput(title, detail);
  return devices;
}

async function listed(db: Reader, scope: Scope, ids: string[]): Promise<Target[]> {
  const devices = await devicesInScope(db, scope, await devicesOfList(db, scope.accountId, ids));
  if (devices.length === ids.length) return devices;
  // The same words for a device outside and for one that does not exist: which it is must not show.
  if (scope.groups)
    throw new ReachesOutside(
      `${countOf(devices.length)} of those named ${devices.length === 1 ? 'is' : 'are'} in your groups; the others are outside or no longer exist. Nothing was submitted: leave them out.`,
    );
  const found = new Set(devices.map(({ id }) => id));
  const missing = ids.filter((id) => !found.has(id));
  const some = missing.length === 1 ? 'One of the devices does not exist' : `${missing.length} devices do not exist`;
  throw new NotFound(some, `${firstOf(missing)}. Nothing was submitted: read the devices again.`);
}

const STEERED_BY_OTHERS =
  'It also runs on devices that are not in your groups. Somebody whose role is not limited to groups can do this.';

/** A job that is about to be changed; throws if the scope does not have all its devices. */
export async function steeredJob(db: Reader, scope: Scope, id: string, of: WithDeleted): Promise<JobRow> {
  const job = await jobById(db, scope, id);
  if (await reachesOutside(db, scope, job, of)) throw new ReachesOutside(STEERED_BY_OTHERS);
  return job;
}

/** The job to retry: a parent, or a single job. */
export async function retriedJob(
  db: Reader,
  scope: Scope,
  { RetryOf = '', ArtifactId, WorkflowId }: JobDraft,
): Promise<JobRow> {
  const job = await steeredJob(db, scope, RetryOf, 'live');
  if (job.parent_id !== null)
    throw new InvalidInput(
      `The job "${RetryOf}" has no child jobs`,
      `It is a child itself: RetryOf names its parent, "${job.parent_id}".`,
    );
  if (job.archived !== null)
    throw new Conflict(`The job "${RetryOf}" is archived`, 'Restore it from the archive, then retry it.');
  if ((ArtifactId && ArtifactId !== job.artifact_id) || (WorkflowId && WorkflowId !== job.workflow_id))
    throw new InvalidInput(
      `The job "${RetryOf}" ran something else`,
      'A retry runs what the job ran. Submit another artifact or workflow without RetryOf.',
    );
  return job;
}

/** The last attempts of these devices; throws unless all have ended. `id` names the job in an error. */
export async function retryTargets(
  db: Reader,
  parent: Pick<JobRow, 'seq' | 'id'>,
  devices: Target[],
): Promise<{ device: Target; last: LastAttempt }[]> {
  const attempts = await lastAttempts(db, parent.seq);
  const others = devices.filter(({ seq }) => !attempts.has(seq));
  if (others.length > 0)
    throw new InvalidInput(
      `The job "${parent.id}" was not for ${others.length === 1 ? 'this device' : `${others.length} of these devices`}`,
      `${firstOf(others.map(textOf))}. Nothing was submitted: leave them out, or submit a job of their own.`,
    );
  const targets = devices.flatMap((device) => {
    const last = attempts.get(device.seq);
    return last ? [{ device, last }] : [];
  });
  const open = targets.filter(({ last: { status } }) => status === 'Waiting' || status === 'Running');
  if (open.length > 0)
    throw new Conflict(
      `It has not ended on ${open.length === 1 ? 'one of these devices' : `${open.length} of these devices`}`,
      `${firstOf(open.map(({ device }) => textOf(device)))}. Nothing was submitted: stop it there or wait, then try again.`,
    );
  return targets;
}

const textOf = ({ name, id }: Target) => `"${name}" (${id})`;

const SHOWN = 5;

/** "a, b and 12 more" */
function firstOf(names: string[]): string {
  const shown = names.slice(0, SHOWN).join(', ');
  return names.length > SHOWN ? `${shown} and ${names.length - SHOWN} more` : shown;
}
