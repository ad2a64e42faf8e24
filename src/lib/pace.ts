// Timers, and long work split into short tasks, so that the page stays responsive.

/** Milliseconds of work between two yields; people notice a task from 50 ms on. */
const CHUNK = 12;

/** Continues in a new task, after any input that is waiting. */
export function nextTask(): Promise<void> {
  const { scheduler } = globalThis as { scheduler?: { yield?: () => Promise<void> } };
  if (scheduler?.yield) return scheduler.yield();
  // Not a timer: browsers delay nested timers by 4 ms each.
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', () => {
      port1.close();
      resolve();
    });
    port1.start();
    port2.postMessage(null);
  });
}

/** Runs the steps in chunks of a few milliseconds and yields to the page between them. */
export async function runChunked<Result>(steps: Generator<void, Result>): Promise<Result> {
  let until = performance.now() + CHUNK;
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() < until) continue;
    await nextTask();
    until = performance.now() + CHUNK;
  }
}

/** Does the work for each item, at most `most` at a time; rejects with the first failure. */
export async function eachOf<Item>(
  items: readonly Item[],
  most: number,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < items.length) await work(items[next++]!);
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, worker));
}

/** Runs all steps at once, for work that is known to be short. */
export function atOnce<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Resolves after some milliseconds, or when the signal is aborted. */
export function waitFor(length: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, length);
    signal?.addEventListener('abort', end);
  });
}
