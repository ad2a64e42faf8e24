// A submission that is on its way, and how its job is known among the jobs of the service.
import * as z from 'zod/mini';
import type { Job } from '#/contract/jobs.ts';
import { isParent } from '#/contract/job-state.ts';
import { onSession } from '#/api/session.ts';
import { json, storedInTab } from '#/lib/stored.ts';
import { paths } from '#/paths.ts';

const id = z.optional(z.string());

const attempt = z.object({
  key: z.string(),
  /** What runs, as the request has it. */
  what: z.object({ Name: z.string(), ArtifactId: id, WorkflowId: id }),
  /** A target of the API; or, where it has none for a selection, a job for each of these devices. */
  target: z.union([
    z.object({ ids: z.readonly(z.array(z.string())) }),
    z.object({ DeviceId: id, DeviceGroup: id, TagId: id, DeviceIds: z.optional(z.array(z.string())) }),
  ]),
  /** In words: "group lab". */
  label: z.string(),
  /** The jobs of this name that were there before: no clock decides what came since. */
  before: z.readonly(z.array(z.string())),
  /** What it checks the devices for; undefined: it is the deploy itself. */
  preflightFor: z.optional(z.object({ ArtifactId: id, WorkflowId: id })),
});
export type Attempt = z.infer<typeof attempt>;

/** A deploy to a selection on a service without `DeviceIds`: a job for each of these devices. */
export interface ManyJobs {
  attempt: Attempt;
  /** Those that have no job of it yet. */
  ids: readonly string[];
}

const same = (reported: string | undefined, wanted: string | undefined) => !reported || !wanted || reported === wanted;

/** Whether this job is what the attempt has made. A field that a service leaves out does not count. */
export function isMadeBy({ what, target, before }: Attempt, job: Job): boolean {
  if (job.JobName !== what.Name || before.includes(job.JobId)) return false;
  if (!same(job.ArtifactId, what.ArtifactId) || !same(job.WorkflowId, what.WorkflowId)) return false;
  if ('ids' in target) return target.ids.includes(job.DeviceId);
  if (target.DeviceId) return job.DeviceId === target.DeviceId;
  if (target.DeviceIds) return isParent(job) && !job.DeviceGroup && !job.TagId;
  return isParent(job) && same(job.DeviceGroup, target.DeviceGroup) && same(job.TagId, target.TagId);
}

/** Where to go when its job is known. */
export function resultPath({ preflightFor }: Attempt, jobId: string): string {
  if (!preflightFor) return paths.job(jobId);
  return paths.preflight({ job: jobId }, { artifact: preflightFor.ArtifactId, workflow: preflightFor.WorkflowId });
}

/**
 * Stored in this tab until it is answered: after a reload or a lost answer it is looked for among the jobs before anything
 * is sent again, and then it is the same one, under the same key.
 */
const unanswered = storedInTab<Attempt | undefined>('muster-deploy', undefined, json(z.optional(attempt)));

export const storeAttempt = (begun: Attempt): void => void unanswered.set(begun);
export const forgetAttempt = (): void => void unanswered.set(undefined);
/** The one that was never answered. */
export const unansweredAttempt = unanswered.get;

onSession((event) => {
  if (event === 'out') forgetAttempt();
});
