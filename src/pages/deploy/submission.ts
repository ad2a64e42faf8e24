// Sends a deploy: the members of its target are read once more right before, and until the service has answered this tab
// remembers what was sent, so that a lost answer survives a reload.
import * as z from 'zod/mini';
import type { Device } from '#/contract/devices.ts';
import { jobDraft } from '#/contract/job-draft.ts';
import { newIdempotencyKey } from '#/api/idempotency.ts';
import { submitJob } from '#/api/jobs.ts';
import { onSession } from '#/api/session.ts';
import { readMembers, type JobTarget } from '#/fleet/members.ts';
import { meaningOf } from '#/lib/retry.ts';
import { json, storedInTab } from '#/lib/stored.ts';
import { paths } from '#/paths.ts';

const id = z.optional(z.string());

const deploy = z.object({
  body: jobDraft,
  /** What a preflight checks the devices for; undefined for the deploy itself. */
  preflightFor: z.optional(z.object({ ArtifactId: id, WorkflowId: id })),
});
export type Deploy = z.infer<typeof deploy>;

const sentDeploy = z.extend(deploy, { key: z.string(), sentAt: z.number() });
/** A deploy as it was sent, with its Idempotency-Key and the time in milliseconds. */
export type SentDeploy = z.infer<typeof sentDeploy>;

/** The deploy that was sent and is not answered yet. */
export const unconfirmedDeploy = storedInTab<SentDeploy | undefined>(
  'muster-deploy',
  undefined,
  json(z.optional(sentDeploy)),
);

onSession((event) => {
  if (event === 'out') unconfirmedDeploy.set(undefined);
});

/** Who joined and who left between the review of a deploy and its submit. */
export interface MembershipChange {
  /** All members as they are now. */
  now: Device[];
  joined: Device[];
  left: Device[];
}

/** Undefined where they are the same devices, whatever else of them has changed. */
export function changeBetween(reviewed: readonly Device[], now: Device[]): MembershipChange | undefined {
  const before = new Set(reviewed.map(({ DeviceId }) => DeviceId));
  const after = new Set(now.map(({ DeviceId }) => DeviceId));
  const joined = now.filter(({ DeviceId }) => !before.has(DeviceId));
  const left = reviewed.filter(({ DeviceId }) => !after.has(DeviceId));
  return joined.length + left.length > 0 ? { now, joined, left } : undefined;
}

/** "camera-1, camera-2 and 7 more" */
export function namesText(devices: readonly Device[], most = 5): string {
  const names = devices.slice(0, most).map(({ DeviceName, DeviceId }) => DeviceName || DeviceId);
  const more = devices.length - names.length;
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ');
}

/** Raised when others are members than were reviewed; nothing was sent. */
export class MembersChanged extends Error {
  readonly change: MembershipChange;
  constructor(change: MembershipChange) {
    super('The devices have changed since the review');
    this.change = change;
  }
}

/** Raised when the service may have accepted a deploy without answering. */
export class AnswerLost extends Error {
  readonly sent: SentDeploy;
  constructor(sent: SentDeploy, cause: unknown) {
    super('The service did not answer', { cause });
    this.sent = sent;
  }
}

/** Fails if the members of a group or tag are not those that were reviewed. */
export async function checkMembers(jobTarget: JobTarget, reviewed: readonly Device[]): Promise<void> {
  if ('ids' in jobTarget) return;
  const change = changeBetween(reviewed, await readMembers(jobTarget, new AbortController().signal));
  if (change) throw new MembersChanged(change);
}

/** Sends a deploy; returns the id of its job. */
export const sendDeploy = (draft: Deploy): Promise<string> =>
  send({ ...draft, key: newIdempotencyKey(), sentAt: Date.now() });

/** Sends a deploy again under its key, by which the service recognizes one that it has accepted already. */
export const resendDeploy = (sent: SentDeploy): Promise<string> => send(sent);

async function send(sent: SentDeploy): Promise<string> {
  unconfirmedDeploy.set(sent);
  try {
    const { JobId } = await submitJob(sent.body, sent.key);
    unconfirmedDeploy.set(undefined);
    return JobId;
  } catch (error) {
    if (meaningOf(error) === 'unknown') throw new AnswerLost(sent, error);
    unconfirmedDeploy.set(undefined);
    throw error;
  }
}

/** Where to go when the job of a deploy is known. */
export function resultPath({ preflightFor }: Deploy, jobId: string): string {
  if (!preflightFor) return paths.job(jobId);
  return paths.preflight(jobId, { artifact: preflightFor.ArtifactId, workflow: preflightFor.WorkflowId });
}
