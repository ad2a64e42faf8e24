// The jobs that use an artifact, as far as the service reports. Those that wait for it would fail without it.
import type { Artifact } from '#/contract/artifacts.ts';
import type { Job } from '#/contract/jobs.ts';
import { failedIn, outcomeOf } from '#/features/jobs/outcome.ts';
import { FAILURES, verdictOf } from '#/features/jobs/verdict.ts';
import { countsOf, jobState, type JobState } from '#/contract/job-state.ts';

export interface ArtifactUsage {
  /** A job to a group of devices counts once: as waiting if any device waits, else as running if any device runs it. */
  waiting: Job[];
  running: Job[];
  done: Job[];
  /** Devices that wait, over all jobs. */
  waitingDevices: number;
  /** Devices on which a job failed, whatever the job still waits for. */
  failedDevices: number;
}

/**
 * By ArtifactId; `undefined` as a whole: the service does not report which artifact a job runs, or has not answered
 * yet.
 */
export type UsageIndex = ReadonlyMap<string, ArtifactUsage> | undefined;

const NONE: ArtifactUsage = { waiting: [], running: [], done: [], waitingDevices: 0, failedDevices: 0 };

/** Devices of a job that are in a state. */
const devicesIn = (job: Job, state: JobState): number => {
  const counts = countsOf(job);
  return counts ? (counts[state] ?? 0) : jobState(job) === state ? 1 : 0;
};

export function usageOf(jobs: readonly Job[] | undefined): UsageIndex {
  if (!jobs) return undefined;
  const namesArtifact = ({ ArtifactId, WorkflowId }: Job) => ArtifactId !== undefined || WorkflowId !== undefined;
  if (jobs.length > 0 && !jobs.some(namesArtifact)) return undefined;
  const index = new Map<string, ArtifactUsage>();
  for (const job of jobs) {
    if (!job.ArtifactId) continue;
    const usage = index.get(job.ArtifactId) ?? {
      waiting: [],
      running: [],
      done: [],
      waitingDevices: 0,
      failedDevices: 0,
    };
    index.set(job.ArtifactId, usage);
    const waiting = devicesIn(job, 'Waiting');
    usage.waitingDevices += waiting;
    const outcome = outcomeOf(job);
    usage.failedDevices += outcome ? failedIn(outcome) : Number(FAILURES.includes(verdictOf(job).verdict));
    (waiting > 0 ? usage.waiting : devicesIn(job, 'Running') > 0 ? usage.running : usage.done).push(job);
  }
  return index;
}

export const usageIn = (index: NonNullable<UsageIndex>, { ArtifactId }: Pick<Artifact, 'ArtifactId'>): ArtifactUsage =>
  index.get(ArtifactId) ?? NONE;

/** Whether a job still needs it, as far as the service reports. */
export function isNeeded(index: UsageIndex, artifact: Pick<Artifact, 'ArtifactId'>): boolean {
  if (!index) return false;
  const { waiting, running } = usageIn(index, artifact);
  return waiting.length + running.length > 0;
}
