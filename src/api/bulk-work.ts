// Bulk work of the service: start it, follow its progress and the outcome of each item, and read the keys of new devices.
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

/** Most items in one request to our service. */
const MAX_ITEMS = 50_000;
/** Rows per response. */
const ROWS = 500;
/** Polling intervals in milliseconds while bulk work is running, and while none is. */
const RUNNING = 1_000;
const RESTING = 15_000;
/** Delays before the first reads: a few items are done almost immediately. */
const FIRST = [60, 150, 300, 500];
/** Fallback polling interval in milliseconds while the service reports progress by itself. */
const SAFETY = 15_000;

/** Bulk work as read so far. */
export interface ReadBulk {
  bulk: Bulk;
  /** Items with an outcome, in the order of processing; once the work is over, all items. */
  items: readonly BulkItem[];
  /** New device keys by DeviceId. Undefined if there are none, or another session asked for them. */
  keys: Readonly<Record<string, string>> | undefined;
}

/** Adds the outcomes since `known`. */
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
        // Once the work is over, only its keys can still change.
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

/** Splits a change of any number of items into requests of allowed size. */
export function bulkChanges({ Devices, Jobs, ...draft }: BulkChange): BulkChange[] {
  const ids = Devices ?? Jobs ?? [];
  return Array.from({ length: Math.ceil(ids.length / MAX_ITEMS) }, (_, index) => {
    const some = ids.slice(index * MAX_ITEMS, (index + 1) * MAX_ITEMS);
    return Devices ? { ...draft, Devices: some } : { ...draft, Jobs: some };
  });
}

const MAX_RETRIES = 3;

/** Starts bulk work once: if the answer is lost, the same key finds the work that the service started. */
export async function startBulk(body: BulkDraft): Promise<string> {
  const headers = { 'idempotency-key': newIdempotencyKey() };
  for (let failures = 0; ; failures++) {
    try {
      const { BulkId } = await call(bulkEndpoints.create, { body }, { headers });
      void invalidate(queryClient, ['bulk']);
      return BulkId;
    } catch (error) {
      const isSafe = isUnanswered(error) ? await isOffered('idempotency') : shouldRetry(failures, error, 'write');
      const mayRepeat = failures < MAX_RETRIES && isSafe;
      if (!mayRepeat) throw error;
      await waitFor(retryDelay(failures, error));
    }
  }
}

/** Deletes the keys of new devices, so that nobody can read them again. */
export const removeBulkKeys = (id: string): Promise<void> =>
  call(bulkEndpoints.removeKeys, { params: { bulk_id: id } });

export const cancelBulk = (id: string): Promise<void> => call(bulkEndpoints.cancel, { params: { bulk_id: id } });

/** Starts to put back what bulk work changed; resolves to the id of that work. */
export const undoBulk = async (id: string): Promise<string> =>
  (await call(bulkEndpoints.undo, { params: { bulk_id: id } })).BulkId;
