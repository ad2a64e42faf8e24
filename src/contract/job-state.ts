// The state of a job, from its fields. Separate from the schemas, which workers do not load.
import type { Job } from '#/contract/jobs.ts';

/** The state as the pages call it. `Finished`: ended, but the service does not report how. */
export type JobState = 'Waiting' | 'Running' | 'Succeeded' | 'Failed' | 'Cancelled' | 'Interrupted' | 'Finished';

const KNOWN: readonly string[] = ['Waiting', 'Running', 'Succeeded', 'Failed', 'Cancelled', 'Interrupted'];
const WAITING_STATUSES = new Map(Object.entries<JobState>({ scheduled: 'Waiting', device_offline: 'Waiting' }));

/** The fields that `jobState` reads. Other services may send only some of them. */
type JobFields = Pick<Job, 'Status' | 'StartTime' | 'EndTime'> &
  Partial<Pick<Job, 'ExitCode' | 'DeviceId' | 'DeviceName' | 'Result' | 'Stdout' | 'Stderr'>>;

/** Whether a job without times has run: it has an exit code, output, or a device with a final status. */
const hasRun = ({ Status, ExitCode, DeviceId, DeviceName, Result, Stdout, Stderr }: JobFields) =>
  ExitCode !== undefined ||
  Boolean(Result || Stdout || Stderr) ||
  (Status?.toLowerCase() === 'executed' && Boolean(DeviceId || DeviceName));

/**
 * The state of a job or child. The Status words of our own service apply directly. Otherwise the times decide: waiting
 * without a StartTime, running with only a StartTime, ended with an EndTime, and then by the exit code.
 */
export function jobState(job: JobFields): JobState {
  const known = KNOWN.find((word) => word.toLowerCase() === job.Status?.toLowerCase());
  if (known) return known as JobState;
  const ended = job.ExitCode === undefined ? 'Finished' : job.ExitCode === 0 ? 'Succeeded' : 'Failed';
  if (job.EndTime) return ended;
  const waiting = WAITING_STATUSES.get(job.Status?.toLowerCase() ?? '');
  if (waiting) return waiting;
  if (job.StartTime) return 'Running';
  return hasRun(job) ? ended : 'Waiting';
}

export type StateCounts = Partial<Record<JobState, number>>;

/** The service's counts of a parent's children by our states, if it sends any. */
export function countsOf({ Counts }: Pick<Job, 'Counts'>): StateCounts | undefined {
  if (!Counts) return undefined;
  const counts: StateCounts = {};
  for (const [word, count] of Object.entries(Counts)) {
    const state = jobState({
      Status: word,
      StartTime: '',
      EndTime: WAITING_STATUSES.has(word.toLowerCase()) ? '' : 'some',
    });
    if (count > 0) counts[state] = (counts[state] ?? 0) + count;
  }
  return counts;
}

/** Whether a job is unfinished; a parent is while any of its children is. */
export function isMoving(job: Job): boolean {
  const counts = countsOf(job);
  if (counts) return (counts.Waiting ?? 0) + (counts.Running ?? 0) > 0;
  const state = jobState(job);
  return state === 'Waiting' || state === 'Running';
}

/** Whether the service can stop the job: such a service sends StopTime, possibly '', for each unfinished job. */
export const canStop = (job: Job): boolean => job.StopTime !== undefined && isMoving(job);

/** Whether a stop was requested and the job has not ended yet. */
export const isStopping = (job: Job): boolean => Boolean(job.StopTime) && isMoving(job);

/** Whether the job has a group or tag as target, and therefore children. */
export const isParent = (job: Job): boolean => job.Counts !== undefined || (job.DeviceId === '' && !job.ParentJobId);
