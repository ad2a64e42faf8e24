// Sends a deploy. The members of its target are read again right before, and the tab stores what was sent until the service
// has answered, so that a lost answer is still known after a reload.
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
  /** Set on a preflight: the payload to deploy afterwards. */
  preflightFor: z.optional(z.object({ ArtifactId: id, WorkflowId: id })),
});
export type Deploy = z.infer<typeof deploy>;

const sentDeploy = z.extend(deploy, { key: z.string(), sentAt: z.number() });
/** A sent deploy, with its Idempotency-Key and the time in milliseconds since the epoch. */
export type SentDeploy = z.infer<typeof sentDeploy>;

/** The deploy that was sent and has not been answered yet. */
export const unconfirmedDeploy = storedInTab<SentDeploy | undefined>(
  'muster-deploy',
  undefined,
  json(z.optional(sentDeploy)),
);

onSession((event) => {
  if (event === 'out') unconfirmedDeploy.set(undefined);
});

/** The devices that joined and left between the review of a deploy and its submission. */
export interface MembershipChange {
  /** All current members. */
  now: Device[];
  joined: Device[];
  left: Device[];
}

/** Undefined if these are the same devices, whatever else has changed about them. */
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

/** Thrown if the members differ from the reviewed ones; nothing was sent. */
export class MembersChanged extends Error {
  readonly change: MembershipChange;
  constructor(change: MembershipChange) {
    super('The devices have changed since the review');
    this.change = change;
  }
}

/** Thrown if the service may have accepted a deploy without answering. */
export class AnswerLost extends Error {
  readonly sent: SentDeploy;
  constructor(sent: SentDeploy, cause: unknown) {
    super('The service did not answer', { cause });
    this.sent = sent;
  }
}

/** Throws if the members of a group or tag differ from the reviewed ones. */
export async function checkMembers(jobTarget: JobTarget, reviewed: readonly Device[]): Promise<void> {
  if ('ids' in jobTarget) return;
  const change = changeBetween(reviewed, await readMembers(jobTarget, new AbortController().signal));
  if (change) throw new MembersChanged(change);
}

/** Sends a deploy; returns the id of its job. */
export const sendDeploy = (draft: Deploy): Promise<string> =>
  send({ ...draft, key: newIdempotencyKey(), sentAt: Date.now() });

/** Sends a deploy again with its key, by which the service recognizes one that it has already accepted. */
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

/** The page to show once the job of a deploy is known. */
export function resultPath({ preflightFor }: Deploy, jobId: string): string {
  if (!preflightFor) return paths.job(jobId);
  return paths.preflight(jobId, { artifact: preflightFor.ArtifactId, workflow: preflightFor.WorkflowId });
}
