// Waiting, and long work in short tasks, so that the page answers a click or a key while it goes on.

/** Milliseconds of work before the page gets its turn; a task is felt from 50 on. */
const TURN = 12;

/** Ends the present task and goes on in another one, after what a person did meanwhile. */
export function nextTask(): Promise<void> {
  const { scheduler } = globalThis as { scheduler?: { yield?: () => Promise<void> } };
  if (scheduler?.yield) return scheduler.yield();
  // Not a timer: nested ones are held back for 4 ms each.
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

/** Does work in small steps, resting between them when the turn is over. */
export async function inTurns<Result>(steps: Generator<void, Result>): Promise<Result> {
  let until = performance.now() + TURN;
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() < until) continue;
    await nextTask();
    until = performance.now() + TURN;
  }
}

/** Does the work for each item, a few at a time; raises the first failure. */
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

/** Does all the steps in this task: for work that is known to be short. */
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
