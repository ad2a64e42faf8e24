// The history of states: of a device, the latest of the fleet, and how long devices, sites and groups were Online.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { historyEndpoints, type Availability, type DeviceStateChange } from '#/contract/history.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { call } from '#/api/call.ts';
import { livePace } from '#/api/live.ts';

const HOUR = 3_600_000;
const PAGE = '500';
/** Changes of a device, and of the fleet, that are read at most. */
const MOST_OF_DEVICE = 5_000;
const MOST_OF_FLEET = 1_000;
const EVERY = 60_000;

export interface StateEvent {
  id: string;
  state: string;
  cause: string;
  /** Milliseconds since the epoch. */
  at: number;
}

const eventOf = ({ DeviceId, State, Cause, Time }: DeviceStateChange): StateEvent => ({
  id: DeviceId,
  state: State,
  cause: Cause,
  at: parseTimestamp(Time)?.getTime() ?? 0,
});

/** Newest first, until one is older than `from`; `isWhole`: not more than `most` of them. */
async function readEvents(
  asked: { device_id?: string; from?: string },
  from: number,
  most: number,
  signal: AbortSignal,
): Promise<{ events: StateEvent[]; isWhole: boolean }> {
  const events: StateEvent[] = [];
  for (let before = ''; ;) {
    const query = { ...asked, limit: PAGE, ...(before && { before }) };
    const { Items, Next } = await call(historyEndpoints.changes, { query }, { signal });
    events.push(...Items.map(eventOf));
    before = Next;
    if (!before || (events.at(-1)?.at ?? 0) < from) return { events, isWhole: true };
    if (events.length >= most) return { events, isWhole: false };
  }
}

export type AvailabilityChoice = Required<
  Pick<NonNullable<Parameters<typeof call<typeof historyEndpoints.summary>>[1]['query']>, 'hours' | 'by' | 'sort'>
>;

export const historyQueries = {
  /** Of a device back to so many hours ago, with the change before that. `state`: the present one, since when it changes so do these. */
  device: (id: string, hours: number, state: string) =>
    queryOptions({
      queryKey: ['history', 'device', id, hours, state],
      queryFn: ({ signal }) => readEvents({ device_id: id }, Date.now() - hours * HOUR, MOST_OF_DEVICE, signal),
      placeholderData: keepPreviousData,
      refetchInterval: livePace(EVERY),
    }),
  /** Of the fleet in the last 24 hours. */
  latest: () =>
    queryOptions({
      queryKey: ['history', 'latest'],
      queryFn: async ({ signal }) => {
        const from = Date.now() - 24 * HOUR;
        return readEvents({ from: new Date(from).toISOString() }, from, MOST_OF_FLEET, signal);
      },
      refetchInterval: livePace(EVERY),
    }),
  /** The gaps of the last 24 hours, and who changed most. */
  lately: () =>
    queryOptions({
      queryKey: ['history', 'lately'],
      queryFn: ({ signal }) => call(historyEndpoints.summary, { query: { hours: '24', limit: '20' } }, { signal }),
      refetchInterval: EVERY,
    }),
  availability: (choice: AvailabilityChoice) =>
    infiniteQueryOptions({
      queryKey: ['history', 'availability', choice],
      queryFn: ({ pageParam, signal }) =>
        call(
          historyEndpoints.summary,
          { query: { ...choice, limit: PAGE, ...(pageParam && { before: pageParam }) } },
          { signal },
        ),
      initialPageParam: '',
      getNextPageParam: ({ Next }) => Next || undefined,
      placeholderData: keepPreviousData,
    }),
};

/** All rows, for a file. */
export async function readAvailability(choice: AvailabilityChoice): Promise<Availability[]> {
  const rows: Availability[] = [];
  for (let before = ''; ;) {
    const query = { ...choice, limit: PAGE, ...(before && { before }) };
    const { Items, Next } = await call(historyEndpoints.summary, { query });
    rows.push(...Items);
    if (!Next) return rows;
    before = Next;
  }
}
