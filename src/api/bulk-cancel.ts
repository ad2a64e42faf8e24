// Stops jobs, and takes jobs that wait back from their devices. Only for a service that can stop jobs.
import { jobEndpoints, type Job } from '#/contract/jobs.ts';
import type { BulkWrite } from '#/api/bulk.ts';
import { call } from '#/api/call.ts';
import { requestOf } from '#/api/request-of.ts';
import { Skipped } from './skipped.ts';

type Id = Pick<Job, 'JobId'>;
const paramsOf = ({ JobId }: Id) => ({ params: { job_id: JobId } });

/** A job that waits. */
export interface WaitingPart {
  JobId: string;
  /** Of one device's part of a larger job. */
  ParentJobId: string | undefined;
  /** The service can stop it, so that its record stays as Cancelled. */
  canStop: boolean;
}

const stopOf = (Values?: { OnlyWaiting: true }): BulkWrite<Id> => ({
  whole: (items) => ({ Action: 'stop', Jobs: items.map(({ JobId }) => JobId), ...(Values && { Values }) }),
  request: (item) => requestOf(jobEndpoints.stop, paramsOf(item)),
  send: async (item) => {
    const { Cancelled, Stopping } = await call(jobEndpoints.stop, paramsOf(item));
    return Cancelled + Stopping > 0 ? undefined : new Skipped('It has already ended');
  },
});

/** Stops jobs, whether they wait or run; of a parent, all children. */
export const bulkStop = (): BulkWrite<Id> => stopOf();

/** Takes back jobs that still wait: what has begun by then is left alone. */
export const bulkCancel = (): BulkWrite<Id> => stopOf({ OnlyWaiting: true });
