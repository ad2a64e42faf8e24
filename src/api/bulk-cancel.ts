// Takes jobs that wait back, one by one, without stopping any that has begun meanwhile.
import { jobEndpoints } from '#/contract/jobs.ts';
import type { Job } from '#/contract/jobs.ts';
import { ApiError, isMissing } from '#/api/api-error.ts';
import type { BulkWrite } from '#/api/bulk.ts';
import { call, callTagged } from '#/api/call.ts';
import { directAddress } from '#/api/direct.ts';
import { jobState } from '#/api/job-state.ts';
import { LeftAlone } from '#/api/left-alone.ts';
import { requestOf } from '#/api/request-of.ts';

type Item = Parameters<BulkWrite['send']>[0];

/**
 * Cancels jobs that still wait. The items are jobs: what stands as a device's id is a job's. Each is read once more
 * before, since deleting one that has begun would stop it on its device; a service that takes `If-Match` sees to it that
 * none begins in between. `parents`: of those that are one device's part of a job to many, that job. It is only ever read:
 * some services do not answer to the id of a part.
 */
export const bulkCancel = (parents: ReadonlyMap<string, string> = new Map()): BulkWrite => {
  const goneIsNone = (error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  };
  const current = async ({ DeviceId: id }: Item): Promise<{ job: Job; etag: string | null } | undefined> => {
    const found = await callTagged(jobEndpoints.get, { params: { job_id: id } }).catch(goneIsNone);
    const parent = parents.get(id);
    if (found) return { job: found.data, etag: found.etag };
    if (parent === undefined) return undefined;
    const parts = await call(jobEndpoints.children, { params: { job_id: parent } }).catch(goneIsNone);
    const job = parts?.find(({ JobId }) => JobId === id);
    return job && { job, etag: null };
  };
  const whyLeft = (job: Job): LeftAlone | undefined => {
    const state = jobState(job);
    if (state === 'Waiting') return undefined;
    return new LeftAlone(state === 'Running' ? 'It has begun meanwhile' : 'It has ended meanwhile');
  };
  const remove = ({ DeviceId: id }: Item) => ({ params: { job_id: id } });
  return {
    request: (item) => requestOf(jobEndpoints.remove, remove(item)),
    send: async (item) => {
      const found = await current(item);
      if (!found) return undefined;
      const left = whyLeft(found.job);
      if (left) return left;
      // A weak tag matches nothing here. Another origin may not allow the header, and then nothing at all would be sent.
      const asRead = found.etag?.startsWith('"') && directAddress === undefined ? { 'if-match': found.etag } : {};
      return call(jobEndpoints.remove, remove(item), { headers: asRead }).catch(async (error: unknown) => {
        const isChanged = error instanceof ApiError && error.status === 412;
        if (!isChanged && !isMissing(error)) throw error;
        const now = await current(item);
        if (!now) return undefined;
        if (isChanged) return whyLeft(now.job) ?? new LeftAlone('It is just being given to its device');
        throw new ApiError('refused', 'This service does not remove one device’s part of a job', {
          detail: 'It still waits.',
        });
      });
    },
    check: async (item) => (await current(item)) === undefined,
  };
};
