// Which jobs refer to an artifact, as far as the service reports: those that wait for it would fail without it.
import type { Artifact } from '#/contract/artifacts.ts';
import type { Job } from '#/contract/jobs.ts';
import { jobState } from '#/api/job-state.ts';

export interface ArtifactUsage {
  /** By what deleting the artifact means to them; one job to a group of devices counts once, as what matters most. */
  waiting: Job[];
  running: Job[];
  done: Job[];
  /** Devices that wait, over all jobs. */
  waitingDevices: number;
}

/**
 * By ArtifactId; `undefined` as a whole: the service does not report which artifact a job runs, or has not answered
 * yet.
 */
export type UsageIndex = ReadonlyMap<string, ArtifactUsage> | undefined;

const NONE: ArtifactUsage = { waiting: [], running: [], done: [], waitingDevices: 0 };

const waitingIn = (job: Job): number =>
  job.Counts ? (job.Counts['Waiting'] ?? 0) : jobState(job) === 'Waiting' ? 1 : 0;
const isRunning = (job: Job): boolean => (job.Counts ? (job.Counts['Running'] ?? 0) > 0 : jobState(job) === 'Running');

export function usageOf(jobs: readonly Job[] | undefined): UsageIndex {
  if (!jobs) return undefined;
  const namesArtifact = ({ ArtifactId, WorkflowId }: Job) => ArtifactId !== undefined || WorkflowId !== undefined;
  if (jobs.length > 0 && !jobs.some(namesArtifact)) return undefined;
  const index = new Map<string, ArtifactUsage>();
  for (const job of jobs) {
    if (!job.ArtifactId) continue;
    const usage = index.get(job.ArtifactId) ?? { waiting: [], running: [], done: [], waitingDevices: 0 };
    index.set(job.ArtifactId, usage);
    const waiting = waitingIn(job);
    usage.waitingDevices += waiting;
    (waiting > 0 ? usage.waiting : isRunning(job) ? usage.running : usage.done).push(job);
  }
  return index;
}

export const usageIn = (index: NonNullable<UsageIndex>, { ArtifactId }: Pick<Artifact, 'ArtifactId'>): ArtifactUsage =>
  index.get(ArtifactId) ?? NONE;

/** Whether a job still needs it. Where that is unknown, it may be. */
export function isNeeded(index: UsageIndex, artifact: Pick<Artifact, 'ArtifactId'>): boolean {
  if (!index) return false;
  const { waiting, running } = usageIn(index, artifact);
  return waiting.length + running.length > 0;
}
