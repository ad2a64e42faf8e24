// Fetches all of one executed job: the job, its devices, and the full output of each. The list of devices has it but for
// long output, which is read by itself, two at a time. What still moves, or moves while it is read, is no finished job
// and is left.
import { jobEndpoints, type Job } from '#/contract/jobs.ts';
import { isMissing } from '#/api/api-error.ts';
import { call } from '#/api/call.ts';
import { isMoving, isParent, jobState } from '#/api/job-state.ts';
import { removeOne } from '#/api/remove-one.ts';
import { Skipped } from '#/api/skipped.ts';
import { nextTask } from '#/lib/pace.ts';
import type { RequestQueue } from '#/lib/request-queue.ts';
import { Sealer, type SealedJob } from './archived-job.ts';

/** Requests under way at a time: an archive is in no hurry, and others want answers too. */
const AT_ONCE = 2;
/** Rows of one task of the page, an even number. */
const TASK = 100;

/** The job runs, waits, or ended otherwise than when it was read: it is left alone. */
export class MovedError extends Error {
  override readonly name = 'MovedError';
}
const moved = () => new MovedError('It waits or runs again, or has changed meanwhile. It was left alone.');

/** Through the queue all requests of a run wait together; an abort also ends a read under way. */
export interface RunRequests {
  queue: RequestQueue;
  signal: AbortSignal;
}

const readJob = (id: string, { queue, signal }: RunRequests): Promise<Job> =>
  queue.read(() => call(jobEndpoints.get, { params: { job_id: id } }, { signal }));
const readChildren = (id: string, { queue, signal }: RunRequests): Promise<Job[]> =>
  queue.read(() => call(jobEndpoints.children, { params: { job_id: id } }, { signal }));

const nullIfMissing = (error: unknown) => {
  if (isMissing(error)) return null;
  throw error;
};

/** How our service begins a stream of which the list has only the end. */
const CUT = /^\[muster\] \d+ bytes left out here; /;

/** Whether the list has all of a child's output, and the reason of its end. */
function isWhole({ Stdout, Stderr, Result, Status }: Job): boolean {
  if (Stdout === undefined || Stderr === undefined || CUT.test(Stdout) || CUT.test(Stderr)) return false;
  // A Result repeats the output, and gives a reason after it; what succeeded has none.
  return Status === 'Succeeded' || !isCutResult({ Stdout, Stderr, Result });
}

/** Whether the list has only the beginning of a Result. */
const isCutResult = ({ Stdout, Stderr, Result }: Pick<Job, 'Stdout' | 'Stderr' | 'Result'>): boolean =>
  Result.endsWith('…') && `${Stdout}${Stderr}`.startsWith(Result.slice(0, -1));

/** Some services know children only in the list: the row of the list is then all there is. */
async function readChild(row: Job, requests: RunRequests): Promise<Job> {
  return row.JobId ? { ...row, ...(await readJob(row.JobId, requests).catch(nullIfMissing)) } : row;
}

const readWhole = async (row: Job, requests: RunRequests): Promise<Job> =>
  isWhole(row) ? row : readChild(row, requests);

/** The list leaves out the Command, which the parent has; a Result that is cut has nothing that the output has not. */
const withParts = (row: Job, parent: Job): Job => ({
  ...row,
  Command: row.Command || parent.Command,
  ...(isCutResult(row) && { Result: `${row.Stdout}${row.Stderr}` }),
});

/** Shows that a job has not changed: how it and its devices ended. */
const fingerprintOf = (job: Job, children: readonly Job[]): string =>
  JSON.stringify([job.Status, job.EndTime, job.ExitCode, job.Counts, children.map((child) => jobState(child))]);

/** A job that has ended on all its devices, or the reason why it is left. */
async function readEnded(id: string, requests: RunRequests): Promise<{ job: Job; children: Job[] }> {
  const job = await readJob(id, requests);
  if (isMoving(job)) throw moved();
  const children = isParent(job) ? await readChildren(id, requests) : [];
  if (children.some(isMoving)) throw moved();
  return { job, children };
}

export interface CollectedJob {
  sealed: SealedJob;
  /** To be compared before it is deleted. */
  fingerprint: string;
}

/** `onDevice`: how many devices' output is here, of how many. */
export async function collectJob(
  id: string,
  requests: RunRequests,
  onDevice: (done: number, total: number) => void,
): Promise<CollectedJob> {
  const { job, children } = await readEnded(id, requests);
  const sealer = new Sealer(job);
  if (!isParent(job)) await sealer.add(job);
  for (let from = 0; from < children.length; from += AT_ONCE) {
    const some = children.slice(from, from + AT_ONCE);
    const read = some.every(isWhole) ? some : await Promise.all(some.map((row) => readWhole(row, requests)));
    for (const row of read) await sealer.add(withParts(row, job));
    onDevice(from + read.length, children.length);
    if (from % TASK === 0) await nextTask();
  }
  return { sealed: await sealer.seal(), fingerprint: fingerprintOf(job, children) };
}

/** What is deleted: a job that has not changed since it was archived; without a fingerprint, one that may have. */
export interface Archived {
  id: string;
  fingerprint?: string;
}

/**
 * Deletes an executed job, if it is still the one that was archived; it is read once more right before. Where the
 * answer to the delete was lost, reading shows whether it is gone.
 */
export async function deleteEnded({ id, fingerprint }: Archived, requests: RunRequests): Promise<'deleted' | 'gone'> {
  const { job, children } = await readEnded(id, requests);
  if (fingerprint !== undefined && fingerprintOf(job, children) !== fingerprint) throw moved();
  requests.signal.throwIfAborted();
  const params = { params: { job_id: id } };
  const isThere = async () => (await call(jobEndpoints.get, params).catch(nullIfMissing)) !== null;
  const result = await requests.queue.writeChecked(
    () => removeOne('jobs', () => call(jobEndpoints.remove, params), isThere),
    async () => !(await isThere()),
  );
  if (result.outcome === 'done') return result.answer instanceof Skipped ? 'gone' : 'deleted';
  throw result.outcome === 'stopped' ? new Error('Not deleted') : result.error;
}
