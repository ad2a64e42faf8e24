// Requests to the archive worker, one at a time, so that twenty files dropped at once take the memory of one. Aborted
// requests end at once.
import { WorkerClient, WorkerError } from '#/lib/worker-client.ts';
import type { InspectRequest, PackRequest, Packed } from './archive-worker.ts';
import type { Inspection } from './inspect-file.ts';

let queue: Promise<unknown> = Promise.resolve();

/** Both reject with a readable message if the worker cannot be loaded or fails. */
export const inspectInWorker = (request: InspectRequest, signal: AbortSignal): Promise<Inspection> =>
  enqueue(request, signal);

export const packInWorker = (request: PackRequest, signal: AbortSignal): Promise<Packed> => enqueue(request, signal);

function enqueue<Answer>(request: InspectRequest | PackRequest, signal: AbortSignal) {
  const answer = queue.then(async () => {
    const worker = new WorkerClient<typeof request, Answer>(
      () => new Worker(new URL('./archive-worker.ts', import.meta.url), { type: 'module' }),
    );
    try {
      return await worker.ask(request, { signal });
    } catch (error) {
      if (!(error instanceof WorkerError)) throw error;
      throw new Error('the part of the page that does this could not be loaded', { cause: error });
    } finally {
      worker.close();
    }
  });
  queue = answer.catch(() => undefined);
  return answer;
}
