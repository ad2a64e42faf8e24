// A submission that is on its way, and how its job is known among the jobs of the service.
import type { Job, JobDraft } from '#/contract/jobs.ts';
import { isParent } from '#/api/job-state.ts';
import { paths } from '#/paths.ts';

export type What = Pick<JobDraft, 'Name' | 'ArtifactId' | 'WorkflowId'>;

export interface Attempt {
  key: string;
  what: What;
  /** A target of the API; or a job for each of these devices. */
  target: Pick<JobDraft, 'DeviceId' | 'DeviceGroup' | 'TagId'> | { ids: readonly string[] };
  /** In words: "group lab". */
  label: string;
  /** The jobs of this name that were there before: no clock decides what came since. */
  before: readonly string[];
  /** What it checks the devices for; undefined: it is the deploy itself. */
  preflightFor?: Pick<JobDraft, 'ArtifactId' | 'WorkflowId'> | undefined;
}

const same = (reported: string | undefined, wanted: string | undefined) => !reported || !wanted || reported === wanted;

/** Whether this job is what the attempt has made. A field that a service leaves out does not count. */
export function isMadeBy({ what, target, before }: Attempt, job: Job): boolean {
  if (job.JobName !== what.Name || before.includes(job.JobId)) return false;
  if (!same(job.ArtifactId, what.ArtifactId) || !same(job.WorkflowId, what.WorkflowId)) return false;
  if ('ids' in target) return target.ids.includes(job.DeviceId);
  if (target.DeviceId) return job.DeviceId === target.DeviceId;
  return isParent(job) && same(job.DeviceGroup, target.DeviceGroup) && same(job.TagId, target.TagId);
}

/** Where to go when its job is known. */
export function placeOf({ preflightFor }: Attempt, jobId: string): string {
  if (!preflightFor) return paths.job(jobId);
  return paths.preflight({ job: jobId }, { artifact: preflightFor.ArtifactId, workflow: preflightFor.WorkflowId });
}
