// Bulk work that the service carries out by itself: beginning it, how far it is, and what became of each item.
import { queryOptions } from '@tanstack/react-query';
import { bulkEndpoints, type Bulk, type BulkChange, type BulkDraft, type BulkItem } from '#/contract/bulk.ts';
import { isNotOffered } from '#/api/api-error.ts';
import { call } from '#/api/call.ts';
import { requireOffer } from '#/api/capabilities.ts';
import { newIdempotencyKey } from '#/api/idempotency.ts';
import { livePace, type QueryReading } from '#/api/live.ts';
import { queryClient } from '#/api/query-client.ts';
import { waitFor } from '#/lib/pace.ts';
import { isUnanswered, retryDelay, shouldRetry } from '#/lib/retry.ts';

/** Most items of one request of our service. */
const MOST_ITEMS = 50_000;
/** Rows of one answer. */
const ROWS = 500;
/** Polling interval while something runs, and while nothing does, in milliseconds. */
const RUNNING = 1_000;
const RESTING = 15_000;

/** Bulk work as far as it has been read. */
export interface ReadBulk {
  bulk: Bulk;
  /** Those with an outcome, in the order in which they are done; of work that is over, all. */
  items: readonly BulkItem[];
}

/** What is known of it, and the rest of what is done by now. */
export async function readBulk(id: string, known: readonly BulkItem[], signal?: AbortSignal): Promise<ReadBulk> {
  const items = [...known];
  for (;;) {
    const request = { params: { bulk_id: id }, query: { limit: String(ROWS), before: String(items.length) } };
    const { Items, Next, ...bulk } = await call(bulkEndpoints.get, request, { signal });
    const left = bulk.State === 'Running' ? Items.findIndex(({ Outcome }) => Outcome === 'Left') : -1;
    items.push(...(left === -1 ? Items : Items.slice(0, left)));
    if (left !== -1 || Next === '') return { bulk, items };
  }
}

export const isRunning = ({ State }: Pick<Bulk, 'State'>): boolean => State === 'Running';

export const bulkQueries = {
  list: () =>
    queryOptions({
      queryKey: ['bulk', 'list'],
      queryFn: async ({ signal }) => {
        await requireOffer('bulk');
        return call(bulkEndpoints.list, {}, { signal });
      },
      refetchInterval: livePace(({ state }: QueryReading<Bulk[]>) =>
        isNotOffered(state.error) ? false : state.data?.some(isRunning) ? RUNNING : RESTING,
      ),
    }),
  one: (id: string) =>
    queryOptions({
      queryKey: ['bulk', 'one', id],
      queryFn: ({ signal, client, queryKey }) => {
        const known = client.getQueryData<ReadBulk>(queryKey);
        // Of what was over, all is known.
        return known && !isRunning(known.bulk) ? known : readBulk(id, known?.items ?? [], signal);
      },
      structuralSharing: false, // known items are the same objects
      refetchInterval: livePace(({ state: { data } }: QueryReading<ReadBulk>) =>
        data && isRunning(data.bulk) ? RUNNING : false,
      ),
    }),
};

/** The requests for any number of items. */
export function bulkDrafts({ Devices, Jobs, ...draft }: BulkChange): BulkChange[] {
  const ids = Devices ?? Jobs ?? [];
  return Array.from({ length: Math.ceil(ids.length / MOST_ITEMS) }, (_, index) => {
    const some = ids.slice(index * MOST_ITEMS, (index + 1) * MOST_ITEMS);
    return Devices ? { ...draft, Devices: some } : { ...draft, Jobs: some };
  });
}

const MOST_REPEATS = 3;

/** Begins it once: after a lost answer the same key finds what the service made of the request. */
export async function beginBulk(body: BulkDraft): Promise<string> {
  const headers = { 'idempotency-key': newIdempotencyKey() };
  for (let failures = 0; ; failures++) {
    try {
      const { BulkId } = await call(bulkEndpoints.create, { body }, { headers });
      void queryClient.invalidateQueries({ queryKey: bulkQueries.list().queryKey });
      return BulkId;
    } catch (error) {
      const mayRepeat = failures < MOST_REPEATS && (isUnanswered(error) || shouldRetry(failures, error, 'write'));
      if (!mayRepeat) throw error;
      await waitFor(retryDelay(failures, error));
    }
  }
}

export const cancelBulk = (id: string): Promise<void> => call(bulkEndpoints.cancel, { params: { bulk_id: id } });
