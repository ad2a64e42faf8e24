// Bulk work of the service: starting it, how far it is, what became of each item, and the keys of new devices.
import { bulkEndpoints, type Bulk, type BulkChange, type BulkDraft, type BulkItem } from '#/contract/bulk.ts';
import { isMissing } from '#/api/api-error.ts';
import { call } from '#/api/call.ts';
import { isOffered, requireOffer } from '#/api/capabilities.ts';
import { newIdempotencyKey } from '#/api/idempotency.ts';
import type { ReadingState } from '#/api/live.ts';
import { invalidate, query } from '#/api/query.ts';
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
/** Before the first readings: a few items are done at once. */
const FIRST = [60, 150, 300, 500];
/** While the service reports what was done, it is asked without a report only this often. */
const SAFETY = 15_000;

/** Bulk work as far as it has been read. */
export interface ReadBulk {
  bulk: Bulk;
  /** Those with an outcome, in the order in which they are done; of work that is over, all. */
  items: readonly BulkItem[];
  /** By DeviceId. Undefined where there are none, or they are not for this session. */
  keys: Readonly<Record<string, string>> | undefined;
}

/** What is known of it, and the rest of what is done by now. */
async function readBulk(id: string, known: ReadBulk | undefined, signal: AbortSignal): Promise<ReadBulk> {
  const items = [...(known?.items ?? [])];
  let keys: Record<string, string> | undefined;
  for (;;) {
    const request = { params: { bulk_id: id }, query: { limit: String(ROWS), before: String(items.length) } };
    const { Items, Next, Keys, ...bulk } = await call(bulkEndpoints.get, request, { signal });
    keys = Keys && { ...known?.keys, ...keys, ...Keys };
    const left = bulk.State === 'Running' ? Items.findIndex(({ Outcome }) => Outcome === 'Left') : -1;
    items.push(...(left === -1 ? Items : Items.slice(0, left)));
    if (left !== -1 || Next === '') return { bulk, items, keys };
  }
}

export const isRunning = ({ State }: Pick<Bulk, 'State'>): boolean => State === 'Running';

export const bulkQueries = {
  list: () =>
    query<typeof bulkEndpoints.list, Bulk[]>(
      bulkEndpoints.list,
      {},
      {
        read: async ({ signal }) => {
          await requireOffer('bulk');
          return call(bulkEndpoints.list, {}, { signal });
        },
        poll: (bulks) => bulks !== undefined && (bulks.some(isRunning) ? RUNNING : RESTING),
      },
    ),
  one: (id: string) =>
    query<typeof bulkEndpoints.get, ReadBulk>(
      bulkEndpoints.get,
      { params: { bulk_id: id } },
      {
        // Of what is over, only keys can still change.
        read: async ({ signal, before }) =>
          before && !isRunning(before.bulk) && !before.keys ? before : readBulk(id, before, signal),
        structuralSharing: false, // known items are the same objects
        poll: paceOfRunning,
        pollLive: (data, { dataUpdateCount: readings }) => FIRST[readings - 1] ?? (data ? SAFETY : RUNNING),
      },
    ),
};

function paceOfRunning(data: ReadBulk | undefined, { error, dataUpdateCount: readings }: ReadingState): number | false {
  if (isMissing(error) || (data && !isRunning(data.bulk))) return false;
  return FIRST[readings - 1] ?? RUNNING;
}

/** The requests for any number of items. */
export function bulkChanges({ Devices, Jobs, ...draft }: BulkChange): BulkChange[] {
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
      void invalidate(queryClient, ['bulk']);
      return BulkId;
    } catch (error) {
      const isSafe = isUnanswered(error) ? await isOffered('idempotency') : shouldRetry(failures, error, 'write');
      const mayRepeat = failures < MOST_REPEATS && isSafe;
      if (!mayRepeat) throw error;
      await waitFor(retryDelay(failures, error));
    }
  }
}

/** Deletes the keys of new devices, so that nobody can read them again. */
export const removeBulkKeys = (id: string): Promise<void> =>
  call(bulkEndpoints.removeKeys, { params: { bulk_id: id } });

export const cancelBulk = (id: string): Promise<void> => call(bulkEndpoints.cancel, { params: { bulk_id: id } });
