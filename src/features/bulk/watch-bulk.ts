// Follows bulk work of the service to its end, while somebody looks.
import { focusManager } from '@tanstack/react-query';
import type { BulkChange, BulkItem } from '#/contract/bulk.ts';
import { isMissing, isSignedOut } from '#/api/api-error.ts';
import { beginBulk, bulkDrafts, cancelBulk, isRunning, readBulk } from '#/api/bulk-work.ts';
import { bulkReports, isLive } from '#/api/live.ts';
import { waitFor } from '#/lib/pace.ts';
import type { ItemResult } from './bulk-results.ts';

const OUTCOMES = { Done: 'done', Failed: 'failed', Skipped: 'skipped', Left: 'stopped' } as const;

/** What became of an item; of work that was cancelled, Left is never done. */
export const resultOfItem = ({ Outcome, Because }: BulkItem): ItemResult => ({
  outcome: OUTCOMES[Outcome],
  reason: Outcome === 'Left' ? 'Cancelled before its turn' : Because,
});

/** Before the first looks, in milliseconds: few items are done by the first. */
const PAUSES = [60, 150, 300, 500];
const LAST_PAUSE = 1_000;

interface Watching {
  /** Cancels the work. */
  signal: AbortSignal;
  /** Nobody looks any more: the work goes on. */
  closed: AbortSignal;
  onResult: (id: string, result: ItemResult) => void;
}

/** While the service reports that something was done, it is asked without a report only this often. */
const SAFETY = 15_000;

/** Resolves when somebody sees the page. */
function untilSeen(closed: AbortSignal): Promise<void> {
  if (focusManager.isFocused() || closed.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      stop();
      resolve();
    };
    const stop = focusManager.subscribe((isSeen) => isSeen && end());
    closed.addEventListener('abort', end, { once: true });
  });
}

async function watch(id: string, watching: Watching): Promise<void> {
  let reported = new AbortController();
  const stop = bulkReports.subscribe(() => reported.abort());
  const untilDue = async (looks: number, signal: AbortSignal) => {
    const pause = PAUSES[looks];
    if (pause !== undefined || !isLive()) await waitFor(pause ?? LAST_PAUSE, signal);
    else await waitFor(SAFETY, AbortSignal.any([signal, reported.signal]));
    // What is reported from now on may not be in what is read now.
    reported = new AbortController();
  };
  await look(id, watching, untilDue).finally(stop);
}

async function look(
  id: string,
  { signal, closed, onResult }: Watching,
  untilDue: (looks: number, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  let known: readonly BulkItem[] = [];
  let isCancelled = false;
  for (let looks = 0; ; looks++) {
    await untilDue(looks, isCancelled ? closed : signal);
    await untilSeen(closed);
    if (closed.aborted) return;
    try {
      if (signal.aborted && !isCancelled) {
        await cancelBulk(id);
        isCancelled = true;
      }
      const { bulk, items } = await readBulk(id, known, closed);
      for (const item of items.slice(known.length)) onResult(item.Id, resultOfItem(item));
      known = items;
      if (!isRunning(bulk)) return;
    } catch (error) {
      if (closed.aborted) return;
      // The service is away for a moment: the frame says so, and the work goes on when it is back.
      if (isSignedOut(error) || isMissing(error)) throw error;
    }
  }
}

/** Has the service do it; resolves to a function that waits for the results. */
export async function beginInService(draft: BulkChange): Promise<(watching: Watching) => Promise<void>> {
  const ids: string[] = [];
  for (const part of bulkDrafts(draft)) ids.push(await beginBulk(part));
  return async (watching) => {
    for (const id of ids) await watch(id, watching);
  };
}
