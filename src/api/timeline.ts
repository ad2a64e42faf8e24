// What happened to a device in one order, and notes about it.
import { mutationOptions } from '@tanstack/react-query';
import { timelineEndpoints, type TimelineKind } from '#/contract/timeline.ts';
import { call } from '#/api/call.ts';
import { items, requestMutation } from '#/api/query.ts';

const PAGE = '30';
const EVERY = 30_000;
const EVERY_WHILE_LIVE = 60_000;
/** Pages that are read again by themselves: all that were loaded would be. */
const MOST_READ_AGAIN = 3;

export const timelineQueries = {
  /** Newest first. `kinds`: all if there is none; `state`: of the device now, since a change of it is a new item. */
  list: (id: string, kinds: readonly TimelineKind[], state: string) =>
    items(
      timelineEndpoints.list,
      { params: { device_id: id }, query: { limit: PAGE, ...(kinds.length > 0 && { kind: kinds.join(',') }) } },
      {
        part: state,
        keepPrevious: true,
        poll: (data) => (data?.pages.length ?? 0) <= MOST_READ_AGAIN && EVERY,
        pollLive: EVERY_WHILE_LIVE,
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
