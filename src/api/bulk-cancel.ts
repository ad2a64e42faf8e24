// Stops jobs, and cancels jobs that are still waiting. Only for a service that can stop jobs.
import { jobEndpoints, type Job } from '#/contract/jobs.ts';
import type { BulkWrite } from '#/api/bulk.ts';
import { call } from '#/api/call.ts';
import { requestOf } from '#/api/request-of.ts';
import { Skipped } from './skipped.ts';

type Id = Pick<Job, 'JobId'>;
const paramsOf = ({ JobId }: Id) => ({ params: { job_id: JobId } });

/** A waiting job. */
export interface WaitingPart {
  JobId: string;
  /** Set on the child job of a parent. */
  ParentJobId: string | undefined;
  /** Whether the service can stop it; its record then remains, as Cancelled. */
  canStop: boolean;
}

const stopOf = (Values?: { OnlyWaiting: true }): BulkWrite<Id> => ({
  toBulkRequest: (items) => ({ Action: 'stop', Jobs: items.map(({ JobId }) => JobId), ...(Values && { Values }) }),
  request: (item) => requestOf(jobEndpoints.stop, paramsOf(item)),
  send: async (item) => {
    const { Cancelled, Stopping } = await call(jobEndpoints.stop, paramsOf(item));
    return Cancelled + Stopping > 0 ? undefined : new Skipped('It has already ended');
  },
});

/** Stops waiting and running jobs; for a parent, all its children. */
export const bulkStop = (): BulkWrite<Id> => stopOf();

/** Cancels jobs that are still waiting: those that have started by then keep running. */
export const bulkCancel = (): BulkWrite<Id> => stopOf({ OnlyWaiting: true });
