// Archives jobs and then deletes them, job by job: nothing is deleted before its copy is stored, and what could not be
// archived, or has moved meanwhile, stays where it is.
import { isMissing, isSignedOut } from '#/api/api-error.ts';
import { archiveStore, ArchiveError } from './archive-store.ts';
import { addToZip } from './archive-zip.ts';
import { MovedError, collectJob, deleteEnded, type Archived, type RunRequests } from './collect-job.ts';
import type { RunWatch } from '#/features/bulk/use-run.ts';
import { NotSentError, RequestQueue } from '#/lib/request-queue.ts';
import { ZipWriter } from '#/lib/zip-write.ts';

export interface ArchivePlan {
  ids: readonly string[];
  /** Where a copy goes; with neither, they are deleted without one. */
  browser: boolean;
  zip: boolean;
  /** With a ZIP file alone it has to be seen first: those are deleted by {@link deleteAll}. */
  remove: boolean;
}

export interface ArchiveResult {
  id: string;
  /** `left`: it moved, so that it was neither archived nor deleted. `gone`: it was not there any more. */
  state: 'archived' | 'deleted' | 'left' | 'gone' | 'failed';
  why?: string;
}

export interface ArchivedCount {
  id: string;
  /** Devices whose output is here. */
  done: number;
  total: number;
}

/** An archive is made in this page only. */
type ArchiveWatch = Omit<RunWatch<ArchiveResult>, 'closed'>;

interface Watch extends ArchiveWatch {
  account: string;
  onProgress: (progress: ArchivedCount) => void;
}

/** Running jobs at a time. */
const AT_ONCE = 2;

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Does something for each job, a few at a time; what ends everything is thrown. */
async function forEach(
  jobs: readonly Archived[],
  watch: ArchiveWatch,
  work: (job: Archived, requests: RunRequests) => Promise<ArchiveResult['state']>,
): Promise<void> {
  const stop = new AbortController();
  const signal = AbortSignal.any([watch.signal, stop.signal]);
  const queue = new RequestQueue({ atOnce: AT_ONCE, signal });
  const onResult = (result: ArchiveResult) => watch.onResult(result.id, result);
  const one = async (job: Archived) => {
    const { id } = job;
    try {
      onResult({ id, state: await work(job, { queue, signal }) });
    } catch (error) {
      if (signal.aborted || error instanceof NotSentError) return;
      if (isMissing(error)) onResult({ id, state: 'gone' });
      else onResult({ id, state: error instanceof MovedError ? 'left' : 'failed', why: wordsOf(error) });
      // A full store stays full, and without a session nothing more is answered.
      if (error instanceof ArchiveError || isSignedOut(error)) {
        stop.abort();
        throw error;
      }
    }
  };
  const ends = await Promise.allSettled(jobs.map((job) => queue.add(() => one(job))));
  const failed = ends.find((end) => end.status === 'rejected' && !(end.reason instanceof NotSentError));
  if (failed?.status === 'rejected') throw failed.reason;
}

/** What was archived, to be deleted later, and the ZIP file where one was wanted. */
export interface ArchiveRun {
  archived: Archived[];
  zip: Blob | undefined;
}

export async function runArchive({ ids, browser, zip, remove }: ArchivePlan, watch: Watch): Promise<ArchiveRun> {
  const { account, onProgress } = watch;
  const writer = new ZipWriter();
  const archived: Archived[] = [];
  let number = 0;
  // One file is written at a time.
  let written: Promise<unknown> = Promise.resolve();
  const write = (work: () => Promise<void>) => {
    const next = written.then(work);
    written = next.catch(() => undefined);
    return next;
  };
  const jobs = ids.map((id): Archived => ({ id }));
  await forEach(jobs, watch, async ({ id }, requests) => {
    if (!browser && !zip) return deleteEnded({ id }, requests);
    const { sealed, fingerprint } = await collectJob(id, requests, (done, total) => onProgress({ id, done, total }));
    requests.signal.throwIfAborted();
    if (browser) await archiveStore.put(account, sealed);
    if (zip) await write(() => addToZip(writer, sealed, ++number));
    archived.push({ id, fingerprint });
    return remove && browser ? deleteEnded({ id, fingerprint }, requests) : 'archived';
  });
  return { archived, zip: zip && archived.length > 0 ? writer.finish() : undefined };
}

/** Deletes what was archived before. */
export const deleteAll = (archived: readonly Archived[], watch: ArchiveWatch): Promise<void> =>
  forEach(archived, watch, deleteEnded);
