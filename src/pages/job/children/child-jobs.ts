// The child jobs of a group or tag job, one per device, and helpers for them.
import type { Job } from '#/contract/jobs.ts';
import type { DeployStart } from '#/paths.ts';
import type { ChildOutputs } from '#/api/child-outputs.ts';
import type { FailedJob } from '#/features/failure-groups/failure-client.ts';
import type { Attempts } from '#/features/jobs/attempts.ts';
import { FAILURES, verdictOf, type Verdict, type VerdictCounts } from '#/features/jobs/verdict.ts';

export interface ChildJobs {
  /** The last attempt of each device. */
  rows: Job[];
  /** The number of rows by verdict. */
  counts: VerdictCounts;
  /** The earlier attempts by device. */
  earlier: Attempts['earlier'];
  outputs: ChildOutputs;
  /** The key of each child in the URL: its id, or its index if the service gives none. Includes earlier attempts. */
  keys: ReadonlyMap<Job, string>;
  byKey: ReadonlyMap<string, Job>;
}

export const keysOf = (jobs: readonly Job[]): Map<Job, string> =>
  new Map(jobs.map((child, index) => [child, child.JobId || `no-${index + 1}`]));

export const childName = (child: Job, key: string): string => child.DeviceName || child.DeviceId || `Device ${key}`;

/** Failures whose outcome on the device is unknown. */
export const UNANSWERED: readonly Verdict[] = ['No answer', 'Interrupted'];

export const failedOf = ({ rows, keys }: ChildJobs): FailedJob[] =>
  rows.flatMap((job) => {
    const { verdict } = verdictOf(job);
    return FAILURES.includes(verdict) ? [{ key: keys.get(job) ?? '', job, ended: verdict }] : [];
  });

/** Why a job cannot be retried; undefined if it can. `devices`: the number of devices to retry it on. */
export function whyNoRetry({ ArchivedTime }: Job, devices: number): string | undefined {
  if (ArchivedTime !== undefined) return 'The job is archived: restore it first';
  return devices === 0 ? 'There is no such device' : undefined;
}

/** The initial choices of a deploy that runs a job again on its device. `parent`: has fields that children may omit. */
export function deployAgain({ DeviceId, ...job }: Job, parent?: Job): DeployStart {
  const { ArtifactId: artifact, WorkflowId: workflow } = job.ArtifactId || job.WorkflowId ? job : (parent ?? job);
  return { device: DeviceId, ...(artifact ? { artifact } : workflow && { workflow }) };
}

/** All attempts of a job's device, oldest first; empty if there is only one. */
export function attemptsOf({ rows, earlier }: ChildJobs, job: Job | undefined): readonly Job[] {
  const before = job && earlier.get(job.DeviceId);
  if (!before) return [];
  const last = rows.find(({ DeviceId }) => DeviceId === job.DeviceId);
  return last ? [...before, last] : before;
}
