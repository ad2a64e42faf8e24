// Fetches all of one executed job: the job, its devices, and the full output of each, two at a time. What still moves, or
// moves while it is read, is no finished job and is left.
import type { Job } from '#/contract/jobs.ts';
import { jobEndpoints } from '#/contract/jobs.ts';
import { ApiError, isMissing } from '#/api/api-error.ts';
import { call } from '#/api/call.ts';
import { isMoving, isParent, jobState } from '#/api/job-state.ts';
import { retryDelay, shouldRetry } from '#/lib/retry.ts';
import { Sealer } from './archived-job.ts';
import type { SealedJob } from './archived-job.ts';

/** Requests under way at a time: an archive is in no hurry, and others want answers too. */
const AT_ONCE = 2;

/** The job runs, waits, or ended otherwise than when it was read: it is left alone. */
export class MovedError extends Error {
  override readonly name = 'MovedError';
}
const moved = () => new MovedError('It waits or runs again, or has changed meanwhile. It was left alone.');

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        reject(signal.reason as Error);
      },
      { once: true },
    );
  });

/** Reads may be sent again, as everywhere. */
async function patiently<T>(read: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await read();
    } catch (error) {
      if (signal.aborted || !(error instanceof Error) || !shouldRetry(failures, error)) throw error;
      await pause(retryDelay(failures, error), signal);
    }
  }
}

const readJob = (id: string, signal: AbortSignal): Promise<Job> =>
  patiently(() => call(jobEndpoints.get, { params: { job_id: id } }, { signal }), signal);
const readChildren = (id: string, signal: AbortSignal): Promise<Job[]> =>
  patiently(() => call(jobEndpoints.children, { params: { job_id: id } }, { signal }), signal);

/** Some services know children only in the list: what stands there is then all there is. */
async function readChild(row: Job, signal: AbortSignal): Promise<Job> {
  if (!row.JobId) return row;
  try {
    return { ...row, ...(await readJob(row.JobId, signal)) };
  } catch (error) {
    if (isMissing(error)) return row;
    throw error;
  }
}

/** What tells that a job has not changed: how it and its devices ended. */
const standingOf = (job: Job, children: readonly Job[]): string =>
  JSON.stringify([job.Status, job.EndTime, job.ExitCode, job.Counts, children.map((child) => jobState(child))]);

/** A job that has ended on all its devices, or the reason why it is left. */
async function readEnded(id: string, signal: AbortSignal): Promise<{ job: Job; children: Job[] }> {
  const job = await readJob(id, signal);
  if (isMoving(job)) throw moved();
  const children = isParent(job) ? await readChildren(id, signal) : [];
  if (children.some(isMoving)) throw moved();
  return { job, children };
}

export interface CollectedJob {
  sealed: SealedJob;
  /** To be compared before it is deleted. */
  standing: string;
}

/** `onDevice`: how many devices' output is here, of how many. */
export async function collectJob(
  id: string,
  { signal, onDevice }: { signal: AbortSignal; onDevice: (done: number, total: number) => void },
): Promise<CollectedJob> {
  const { job, children } = await readEnded(id, signal);
  const sealer = new Sealer(job);
  if (!isParent(job)) await sealer.add(job);
  for (let from = 0; from < children.length; from += AT_ONCE) {
    const some = children.slice(from, from + AT_ONCE);
    const read = await Promise.all(some.map((row) => readChild(row, signal)));
    for (const row of read) await sealer.add(row);
    onDevice(from + read.length, children.length);
  }
  return { sealed: await sealer.seal(), standing: standingOf(job, children) };
}

/** What is deleted: a job, and how it stood when it was archived; without that, any way it may have ended. */
export interface Archived {
  id: string;
  standing?: string;
}

/**
 * Deletes an executed job, if it is still the one that was archived. It is read once more right before; without an answer
 * to the delete itself, reading tells whether it is gone. Fails as missing where there was nothing to delete any more.
 */
export async function deleteEnded({ id, standing }: Archived, signal: AbortSignal): Promise<void> {
  const { job, children } = await readEnded(id, signal);
  if (standing !== undefined && standingOf(job, children) !== standing) throw moved();
  signal.throwIfAborted();
  const isGone = () => call(jobEndpoints.get, { params: { job_id: id } }).then(() => false, isMissing);
  try {
    await call(jobEndpoints.remove, { params: { job_id: id } });
  } catch (error) {
    const gone = await isGone();
    if (isMissing(error) && !gone)
      throw new ApiError('refused', 'This service does not delete jobs', { detail: 'It is still there.' });
    if (isMissing(error) || !gone) throw error;
  }
}
