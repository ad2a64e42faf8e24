// The archive of jobs: its list, its search, and the writes that move jobs in and out.
import { archiveEndpoints, type ArchiveItem } from '#/contract/archive.ts';
import { bulkEndpoints, type BulkChange } from '#/contract/bulk.ts';
import { jobEndpoints, type Job } from '#/contract/jobs.ts';
import type { BulkWrite } from '#/api/bulk.ts';
import { call } from '#/api/call.ts';
import { pages } from '#/api/query.ts';
import { skipMissing } from '#/api/skipped.ts';
import { requestOf } from '#/api/request-of.ts';

const ROWS = '200';
/** Most hits in one search response. */
const HITS = '50';

export const archiveQueries = {
  list: () => pages(archiveEndpoints.list, { query: { limit: ROWS } }),
  /** Each page holds what the service found within a fraction of a second. */
  search: (text: string) =>
    pages(
      archiveEndpoints.list,
      { query: { limit: HITS, search: text } },
      { isSnapshot: true, poll: false, gcTime: 0 },
    ),
};

/** The download path of a ZIP file with these jobs, or with all of them. */
export const archiveZip = (ids?: readonly string[]): string =>
  requestOf(archiveEndpoints.export, { query: { jobs: ids?.join(',') } }).path;

/** Search pages may repeat a job: lists each job once, with the hits of every page. */
export function mergedItems(items: readonly ArchiveItem[]): ArchiveItem[] {
  const byId = new Map<string, ArchiveItem>();
  for (const item of items) {
    const before = byId.get(item.Job.JobId);
    const Hits = [...(before?.Hits ?? []), ...(item.Hits ?? [])];
    byId.set(item.Job.JobId, { ...item, Hits, MoreHits: before?.MoreHits || item.MoreHits });
  }
  return [...byId.values()];
}

type Id = Pick<Job, 'JobId'>;
const idsOf = (jobs: readonly Id[]) => jobs.map(({ JobId }) => JobId);

/** Archives or restores jobs. Only for a service with an archive. */
export function bulkArchive(action: 'archive' | 'unarchive'): BulkWrite<Id> {
  const draft = (jobs: readonly Id[]): BulkChange => ({ Action: action, Jobs: idsOf(jobs) });
  const bodyOf = (job: Id) => ({ body: draft([job]) });
  return {
    toBulkRequest: draft,
    request: (job) => requestOf(bulkEndpoints.create, bodyOf(job)),
    send: (job) => call(bulkEndpoints.create, bodyOf(job)),
  };
}

/** Deletes jobs with their output. */
export function bulkDeleteJobs(): BulkWrite<Id> {
  const one = ({ JobId }: Id) => ({ params: { job_id: JobId } });
  return {
    toBulkRequest: (jobs) => ({ Action: 'delete', Jobs: idsOf(jobs) }),
    request: (job) => requestOf(jobEndpoints.remove, one(job)),
    send: (job) => call(jobEndpoints.remove, one(job)).catch(skipMissing),
  };
}
