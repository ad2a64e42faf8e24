// The way to the archive worker: one question at a time, so that twenty files that are dropped at once take the memory
// of one. What is not wanted any more is ended at once, wherever it is.
import { WorkerClient, WorkerError } from '#/lib/worker-client.ts';
import type { ArchiveAnswer, ArchiveRequest, PackRequest, Packed } from './archive-worker.ts';
import type { ChosenFile, Inspection } from './inspect-file.ts';

let line: Promise<unknown> = Promise.resolve();

/** Both fail with a sentence where the worker cannot be loaded or does not get through. */
export async function inspectInWorker(file: ChosenFile, signal: AbortSignal): Promise<Inspection> {
  // The worker gets a copy; the page still has what it will send.
  const bytes = file.bytes.slice();
  const answer = await inTurn({ inspect: { ...file, bytes } }, [bytes.buffer], signal);
  if ('inspection' in answer) return answer.inspection;
  throw new Error('the file was not inspected');
}

export async function packInWorker(order: PackRequest, signal: AbortSignal): Promise<Packed> {
  const answer = await inTurn({ pack: order }, [], signal);
  if ('packed' in answer) return answer.packed;
  throw new Error('the files were not packed');
}

function inTurn(request: ArchiveRequest, transfer: Transferable[], signal: AbortSignal): Promise<ArchiveAnswer> {
  const turn = line.then(() => ask(request, transfer, signal));
  line = turn.catch(() => undefined);
  return turn;
}

async function ask(request: ArchiveRequest, transfer: Transferable[], signal: AbortSignal): Promise<ArchiveAnswer> {
  const worker = new WorkerClient<ArchiveRequest, ArchiveAnswer>(
    () => new Worker(new URL('./archive-worker.ts', import.meta.url), { type: 'module' }),
  );
  try {
    return await worker.ask(request, { transfer, signal });
  } catch (error) {
    if (!(error instanceof WorkerError)) throw error;
    throw new Error('the part of the page that does this could not be loaded', { cause: error });
  } finally {
    worker.close();
  }
}
