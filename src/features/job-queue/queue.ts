// What waits or runs on every device, as a query, refreshed while somebody looks at it.
import { queryOptions } from '@tanstack/react-query';
import { onSession } from '#/api/session.ts';
import { QueueReader } from './queue-reader.ts';
import type { Queues } from './queue-reader.ts';

const reader = new QueueReader();
onSession(() => reader.forget());

const LIVE = 5_000;
/** Beyond so many jobs an answer costs enough to be asked for less often. */
const MANY_JOBS = 2_000;

const countOf = (queues: Queues) =>
  Array.from(queues.values(), ({ length }) => length).reduce((sum, length) => sum + length, 0);

export const queueQueries = {
  all: () =>
    queryOptions({
      queryKey: ['jobs', 'queues'],
      queryFn: ({ signal }) => reader.read(signal),
      structuralSharing: false,
      refetchInterval: ({ state }) => (state.data && countOf(state.data) > MANY_JOBS ? 4 * LIVE : LIVE),
    }),
};
