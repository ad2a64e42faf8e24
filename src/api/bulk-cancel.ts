// Takes jobs that wait back, and stops jobs, one by one. What waits is never stopped where it has begun meanwhile.
import { jobEndpoints, type Job } from '#/contract/jobs.ts';
import { ApiError, isMissing } from '#/api/api-error.ts';
import type { BulkWrite } from '#/api/bulk.ts';
import { call, callTagged } from '#/api/call.ts';
import { directAddress } from '#/api/direct.ts';
import { canStop, isMoving, jobState } from '#/contract/job-state.ts';
import { Skipped } from './skipped.ts';
import { requestOf } from '#/api/request-of.ts';

type Id = Pick<Job, 'JobId'>;
const paramsOf = ({ JobId }: Id) => ({ params: { job_id: JobId } });

/** A job that waits, as far as taking it back needs it. */
export interface WaitingPart {
  JobId: string;
  /** Of one device's part of a larger job. It is only ever read: some services do not answer to the id of a part. */
  ParentJobId: string | undefined;
  /** The service can stop it, so that its record stays as Cancelled; else it is deleted. */
  canStop: boolean;
}

const ENDED = new Skipped('It has already ended');
const BEGUN = new Skipped('It has already started');

const noneIfMissing = (error: unknown) => {
  if (isMissing(error)) return undefined;
  throw error;
};

const whyLeft = (job: Job): Skipped | undefined => {
  const state = jobState(job);
  return state === 'Waiting' ? undefined : state === 'Running' ? BEGUN : ENDED;
};

/**
 * Takes back jobs that still wait. Each is read once more before, since a write to one that has begun would stop it on
 * its device; a service that takes `If-Match` sees to it that none begins in between.
 */
export const bulkCancel = (): BulkWrite<WaitingPart> => {
  const current = async (item: WaitingPart): Promise<{ job: Job; etag: string | null } | undefined> => {
    const found = await callTagged(jobEndpoints.get, paramsOf(item)).catch(noneIfMissing);
    if (found) return { job: found.data, etag: found.etag };
    if (item.ParentJobId === undefined) return undefined;
    const parts = await call(jobEndpoints.children, { params: { job_id: item.ParentJobId } }).catch(noneIfMissing);
    const job = parts?.find(({ JobId }) => JobId === item.JobId);
    return job && { job, etag: null };
  };
  const write = async (item: WaitingPart, headers: Record<string, string>): Promise<Skipped | undefined> => {
    if (!item.canStop) {
      await call(jobEndpoints.remove, paramsOf(item), { headers });
      return undefined;
    }
    const { Cancelled, Stopping } = await call(jobEndpoints.stop, paramsOf(item), { headers });
    return Cancelled + Stopping > 0 ? undefined : ENDED;
  };
  return {
    // A job that can only be deleted is read first.
    whole: (items) =>
      items.every(({ canStop: can }) => can)
        ? { Action: 'stop', Jobs: items.map(({ JobId }) => JobId), Values: { OnlyWaiting: true } }
        : undefined,
    request: (item) => requestOf(item.canStop ? jobEndpoints.stop : jobEndpoints.remove, paramsOf(item)),
    send: async (item) => {
      const found = await current(item);
      if (!found) return new Skipped('It no longer exists, so nothing was sent');
      const left = whyLeft(found.job);
      if (left) return left;
      // A weak tag matches nothing here. Another origin may not allow the header, and then nothing at all would be
      // sent.
      const asRead =
        found.etag?.startsWith('"') && directAddress === undefined ? { 'if-match': found.etag } : undefined;
      return write(item, asRead ?? {}).catch(async (error: unknown) => {
        const isChanged = error instanceof ApiError && error.status === 412;
        if (!isChanged && !isMissing(error)) throw error;
        const now = await current(item);
        if (!now) return new Skipped('It no longer existed');
        if (isChanged) return whyLeft(now.job) ?? new Skipped('It is being sent to its device');
        throw new ApiError('refused', 'This service cannot remove one device from a job', {
          status: 404,
          detail: 'It is still waiting.',
        });
      });
    },
    check: async (item) => {
      const found = await current(item);
      return found === undefined || jobState(found.job) === 'Cancelled';
    },
  };
};

/** Stops jobs, whether they wait or run; of a parent, all children. */
export const bulkStop = (): BulkWrite<Id> => ({
  whole: (items) => ({ Action: 'stop', Jobs: items.map(({ JobId }) => JobId) }),
  request: (item) => requestOf(jobEndpoints.stop, paramsOf(item)),
  send: async (item) => {
    const { Cancelled, Stopping } = await call(jobEndpoints.stop, paramsOf(item));
    return Cancelled + Stopping > 0 ? undefined : ENDED;
  },
  check: async (item) => {
    const job = await call(jobEndpoints.get, paramsOf(item));
    return !isMoving(job) || !canStop(job) || job.StopTime !== '';
  },
});
