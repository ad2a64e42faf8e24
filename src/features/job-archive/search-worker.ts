// Searches the archive beside the page: logs are unpacked job by job, newest first, and each find is reported at once.
import { serve } from '#/lib/worker-client.ts';
import { targetOf, targetText } from '#/features/jobs/job-words.ts';
import { unpackRows } from './archived-job.ts';
import { JobSearch, foldCase, type ArchiveHit } from './archive-search.ts';
import { archiveStore } from './archive-store.ts';

export interface ArchiveSearchRequest {
  account: string;
  text: string;
}

export type SearchProgress = { hit: ArchiveHit } | { done: number; total: number };

serve<ArchiveSearchRequest, void, SearchProgress>(async ({ account, text }, { report }) => {
  const needle = foldCase(text);
  const jobs = await archiveStore.list(account);
  report({ done: 0, total: jobs.length });
  for (const [done, head] of jobs.entries()) {
    const { id, job } = head;
    const looking = new JobSearch(id, needle, [job.JobName, id, targetText(targetOf(job))]);
    looking.devices(await unpackRows(await archiveStore.piece(account, id, 0)));
    for (const [index, first] of head.pieces.entries())
      looking.output(await unpackRows(await archiveStore.piece(account, id, index + 1)), first);
    if (looking.found) report({ hit: looking.hit });
    report({ done: done + 1, total: jobs.length });
  }
});
