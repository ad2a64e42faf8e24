// What a job's fields say of its state. No schema is needed for that, so that workers have it without them.
import type { Job } from '#/contract/jobs.ts';

/** What a job is doing, in the words the pages use. `Finished`: ended, and the service does not say how. */
export type JobState = 'Waiting' | 'Running' | 'Succeeded' | 'Failed' | 'Cancelled' | 'Interrupted' | 'Finished';

const KNOWN: readonly string[] = ['Waiting', 'Running', 'Succeeded', 'Failed', 'Cancelled', 'Interrupted'];
const SEEN: Record<string, JobState> = { scheduled: 'Waiting', device_offline: 'Waiting' };

/** What `jobState` looks at; a row of another service may have any part of it. */
type Told = Pick<Job, 'Status' | 'StartTime' | 'EndTime' | 'ExitCode'> &
  Partial<Pick<Job, 'DeviceId' | 'DeviceName' | 'Result' | 'Stdout' | 'Stderr'>>;

/** Without a time: an exit code, output, or a device of its own that is told to be through. Of a parent that tells nothing. */
const hasRun = ({ Status, ExitCode, DeviceId, DeviceName, Result, Stdout, Stderr }: Told) =>
  ExitCode !== undefined ||
  Boolean(Result || Stdout || Stderr) ||
  (Status?.toLowerCase() === 'executed' && Boolean(DeviceId || DeviceName));

/**
 * The state of a job or child. Our Status words count as they are; without one the times tell: no StartTime waits, a
 * StartTime alone runs, an EndTime has ended, and then an exit code tells how.
 */
export function jobState(job: Told): JobState {
  const known = KNOWN.find((word) => word.toLowerCase() === job.Status?.toLowerCase());
  if (known) return known as JobState;
  const ended = job.ExitCode === undefined ? 'Finished' : job.ExitCode === 0 ? 'Succeeded' : 'Failed';
  if (job.EndTime) return ended;
  const seen = SEEN[job.Status?.toLowerCase() ?? ''];
  if (seen) return seen;
  if (job.StartTime) return 'Running';
  return hasRun(job) ? ended : 'Waiting';
}

/** Whether a job may still change by itself. A parent moves as long as one of its children does. */
export function isMoving(job: Job): boolean {
  if (job.Counts) return (job.Counts['Waiting'] ?? 0) + (job.Counts['Running'] ?? 0) > 0;
  const state = jobState(job);
  return state === 'Waiting' || state === 'Running';
}

/** A part without an id of its own, or under that of its job, cannot be taken back without touching the others. */
export const isOwnPart = ({ JobId }: Pick<Job, 'JobId'>, parentId: string | undefined): boolean =>
  JobId !== '' && JobId !== parentId;

/** Whether the service can stop the job: of each that has not ended it then tells when it was asked to, '' included. */
export const canStop = (job: Job): boolean => job.StopTime !== undefined && isMoving(job);

/** Whether it was asked to stop and has not yet. */
export const isStopping = (job: Job): boolean => Boolean(job.StopTime) && isMoving(job);

/** Whether a job was aimed at a group or tag, so that it has children. */
export const isParent = (job: Job): boolean => job.Counts !== undefined || (job.DeviceId === '' && !job.ParentJobId);
