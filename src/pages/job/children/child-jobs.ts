// The jobs of single devices that a group or tag job consists of, and what distinguishes them.
import type { Job } from '#/contract/jobs.ts';
import type { DeployStart } from '#/paths.ts';
import type { ChildOutputs } from '#/api/child-outputs.ts';
import type { FailedJob } from '#/features/failure-groups/failure-client.ts';
import type { Attempts } from '#/features/jobs/attempts.ts';
import { FAILURES, verdictOf, type Verdict, type VerdictCounts } from '#/features/jobs/verdict.ts';

export interface ChildJobs {
  /** Each device once, with its last attempt. */
  rows: Job[];
  /** Of these by verdict. */
  counts: VerdictCounts;
  /** The attempts before, by device. */
  earlier: Attempts['earlier'];
  outputs: ChildOutputs;
  /** The key of a child in the URL: its id, or its index where a service gives jobs no ids; earlier attempts too. */
  keys: ReadonlyMap<Job, string>;
  byKey: ReadonlyMap<string, Job>;
}

export const keysOf = (jobs: readonly Job[]): Map<Job, string> =>
  new Map(jobs.map((child, index) => [child, child.JobId || `no-${index + 1}`]));

export const childName = (child: Job, key: string): string => child.DeviceName || child.DeviceId || `Device ${key}`;

/** Failures of which nobody knows what became of them. */
export const UNANSWERED: readonly Verdict[] = ['No answer', 'Interrupted'];

export const failedOf = ({ rows, keys }: ChildJobs): FailedJob[] =>
  rows.flatMap((job) => {
    const { verdict } = verdictOf(job);
    return FAILURES.includes(verdict) ? [{ key: keys.get(job) ?? '', job, ended: verdict }] : [];
  });

/** Why a job cannot be run again; undefined where it can. `devices`: how many there are to run it on. */
export function whyNoRetry({ ArchivedTime }: Job, devices: number): string | undefined {
  if (ArchivedTime !== undefined) return 'The job is archived: restore it first';
  return devices === 0 ? 'There is no such device' : undefined;
}

/** What a deploy starts with that runs a job once more on its device. `parent`: what children may leave out. */
export function deployAgain({ DeviceId, ...job }: Job, parent?: Job): DeployStart {
  const { ArtifactId: artifact, WorkflowId: workflow } = job.ArtifactId || job.WorkflowId ? job : (parent ?? job);
  return { device: DeviceId, ...(artifact ? { artifact } : workflow && { workflow }) };
}

/** All attempts of the device of a job, oldest first; empty if there is only one. */
export function attemptsOf({ rows, earlier }: ChildJobs, job: Job | undefined): readonly Job[] {
  const before = job && earlier.get(job.DeviceId);
  if (!before) return [];
  const last = rows.find(({ DeviceId }) => DeviceId === job.DeviceId);
  return last ? [...before, last] : before;
}
