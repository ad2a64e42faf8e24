// Everything that happened to a device in chronological order, and the notes about it.
import { mutationOptions } from '@tanstack/react-query';
import { timelineEndpoints, type TimelineKind } from '#/contract/timeline.ts';
import { call } from '#/api/call.ts';
import { items, requestMutation } from '#/api/query.ts';

const PAGE = '30';
const POLL_INTERVAL = 30_000;
const STALE_AFTER = 5_000;
const LIVE_POLL_INTERVAL = 60_000;
/** With more pages than this loaded, polling stops, because each poll would refetch all of them. */
const MAX_POLLED_PAGES = 3;

export const timelineQueries = {
  /** Newest first. No `kinds` means all. `state`: the device's current state; when it changes, there is a new item. */
  list: (id: string, kinds: readonly TimelineKind[], state: string) =>
    items(
      timelineEndpoints.list,
      { params: { device_id: id }, query: { limit: PAGE, ...(kinds.length > 0 && { kind: kinds.join(',') }) } },
      {
        part: state,
        // Notes of others are not reported.
        staleTime: STALE_AFTER,
        keepPrevious: true,
        poll: (data) => (data?.pages.length ?? 0) <= MAX_POLLED_PAGES && POLL_INTERVAL,
        pollLive: LIVE_POLL_INTERVAL,
      },
    ),
};

export const timelineMutations = {
  addNote: (id: string) =>
    mutationOptions({
      mutationFn: (Text: string) => call(timelineEndpoints.addNote, { params: { device_id: id }, body: { Text } }),
      meta: { operation: timelineEndpoints.addNote },
    }),
  removeNote: (id: string, note: string) =>
    requestMutation(timelineEndpoints.removeNote, { params: { device_id: id, note_id: note } }),
};
