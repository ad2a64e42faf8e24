// The state of a job from its fields, without the schemas, so that workers can use it.
import type { Job } from '#/contract/jobs.ts';

/** The state in the words of the pages. `Finished`: ended, and the service does not report how. */
export type JobState = 'Waiting' | 'Running' | 'Succeeded' | 'Failed' | 'Cancelled' | 'Interrupted' | 'Finished';

const KNOWN: readonly string[] = ['Waiting', 'Running', 'Succeeded', 'Failed', 'Cancelled', 'Interrupted'];
const SEEN: Record<string, JobState> = { scheduled: 'Waiting', device_offline: 'Waiting' };

/** The fields that `jobState` reads; a row of another service may have any part of them. */
type JobFields = Pick<Job, 'Status' | 'StartTime' | 'EndTime'> &
  Partial<Pick<Job, 'ExitCode' | 'DeviceId' | 'DeviceName' | 'Result' | 'Stdout' | 'Stderr'>>;

/** Whether a job without times has run: it has an exit code, output, or a device with a final status. */
const hasRun = ({ Status, ExitCode, DeviceId, DeviceName, Result, Stdout, Stderr }: JobFields) =>
  ExitCode !== undefined ||
  Boolean(Result || Stdout || Stderr) ||
  (Status?.toLowerCase() === 'executed' && Boolean(DeviceId || DeviceName));

/**
 * The state of a job or child. Our Status words apply directly; otherwise the times decide: no StartTime means
 * waiting, only a StartTime running, an EndTime ended, and then an exit code decides how.
 */
export function jobState(job: JobFields): JobState {
  const known = KNOWN.find((word) => word.toLowerCase() === job.Status?.toLowerCase());
  if (known) return known as JobState;
  const ended = job.ExitCode === undefined ? 'Finished' : job.ExitCode === 0 ? 'Succeeded' : 'Failed';
  if (job.EndTime) return ended;
  const seen = SEEN[job.Status?.toLowerCase() ?? ''];
  if (seen) return seen;
  if (job.StartTime) return 'Running';
  return hasRun(job) ? ended : 'Waiting';
}

export type StateCounts = Partial<Record<JobState, number>>;

/** The service's own counts of a parent's children, its words brought to ours; undefined where it gives none. */
export function countsOf({ Counts }: Pick<Job, 'Counts'>): StateCounts | undefined {
  if (!Counts) return undefined;
  const counts: StateCounts = {};
  for (const [word, count] of Object.entries(Counts)) {
    const state = jobState({ Status: word, StartTime: '', EndTime: SEEN[word.toLowerCase()] ? '' : 'some' });
    if (count > 0) counts[state] = (counts[state] ?? 0) + count;
  }
  return counts;
}

/** Whether a job may still change by itself. A parent may as long as one of its children may. */
export function isMoving(job: Job): boolean {
  const counts = countsOf(job);
  if (counts) return (counts.Waiting ?? 0) + (counts.Running ?? 0) > 0;
  const state = jobState(job);
  return state === 'Waiting' || state === 'Running';
}

/** Whether the service can stop the job: it then sends StopTime for each unfinished job, possibly ''. */
export const canStop = (job: Job): boolean => job.StopTime !== undefined && isMoving(job);

/** Whether its stop was requested and it has not stopped yet. */
export const isStopping = (job: Job): boolean => Boolean(job.StopTime) && isMoving(job);

/** Whether a job has a group or tag as target, so that it has children. */
export const isParent = (job: Job): boolean => job.Counts !== undefined || (job.DeviceId === '' && !job.ParentJobId);
