// Follows bulk work of the service to its end, while somebody looks.
import { focusManager } from '@tanstack/react-query';
import type { BulkDraft, BulkItem } from '#/contract/bulk.ts';
import { isMissing, isSignedOut } from '#/api/api-error.ts';
import { beginBulk, bulkDrafts, cancelBulk, isRunning, readBulk } from '#/api/bulk-work.ts';
import { waitFor } from '#/lib/pace.ts';
import type { ItemResult } from './bulk-results.ts';

const OUTCOMES = { Done: 'done', Failed: 'failed', Skipped: 'skipped', Left: 'stopped' } as const;

/** What became of an item; of work that was cancelled, Left is never done. */
export const resultOfItem = ({ Outcome, Because }: BulkItem): ItemResult => ({
  outcome: OUTCOMES[Outcome],
  reason: Outcome === 'Left' ? 'Cancelled before its turn' : Because,
});

/** Before the first looks, in milliseconds; the last one goes on. Few items are done by the first. */
const PAUSES = [60, 150, 300, 500, 1_000];

interface Watching {
  /** Cancels the work. */
  signal: AbortSignal;
  /** Nobody looks any more: the work goes on. */
  closed: AbortSignal;
  onResult: (id: string, result: ItemResult) => void;
}

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

async function watch(id: string, { signal, closed, onResult }: Watching): Promise<void> {
  let known: readonly BulkItem[] = [];
  let isCancelled = false;
  for (let looks = 0; ; looks++) {
    await waitFor(PAUSES[Math.min(looks, PAUSES.length - 1)] ?? 0, isCancelled ? closed : signal);
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
export async function beginInService(draft: BulkDraft): Promise<(watching: Watching) => Promise<void>> {
  const ids: string[] = [];
  for (const part of bulkDrafts(draft)) ids.push(await beginBulk(part));
  return async (watching) => {
    for (const id of ids) await watch(id, watching);
  };
}
