// The history of states: of a device, the latest of the fleet, and how long devices, sites and groups were Online.
import { historyEndpoints, type Availability, type DeviceStateChange } from '#/contract/history.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { call } from '#/api/call.ts';
import { pages, query } from '#/api/query.ts';

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

interface Events {
  events: StateEvent[];
  isWhole: boolean;
}

/** Newest first, until one is older than `from`; `isWhole`: not more than `most` of them. */
async function readEvents(
  asked: { device_id?: string; from?: string },
  from: number,
  most: number,
  signal: AbortSignal,
): Promise<Events> {
  const events: StateEvent[] = [];
  for (let before = ''; ;) {
    const page = { ...asked, limit: PAGE, ...(before && { before }) };
    const { Items, Next } = await call(historyEndpoints.changes, { query: page }, { signal });
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
    query<typeof historyEndpoints.changes, Events>(
      historyEndpoints.changes,
      { query: { device_id: id } },
      {
        part: `${hours} ${state}`,
        read: ({ signal }) => readEvents({ device_id: id }, Date.now() - hours * HOUR, MOST_OF_DEVICE, signal),
        keepPrevious: true,
        poll: EVERY,
      },
    ),
  /** Of the fleet in the last 24 hours. */
  latest: () =>
    query<typeof historyEndpoints.changes, Events>(
      historyEndpoints.changes,
      {},
      {
        read: ({ signal }) => {
          const from = Date.now() - 24 * HOUR;
          return readEvents({ from: new Date(from).toISOString() }, from, MOST_OF_FLEET, signal);
        },
        poll: EVERY,
      },
    ),
  /** The gaps of the last 24 hours, and who changed most. */
  lately: () =>
    query(historyEndpoints.summary, { query: { hours: '24', limit: '20' } }, { poll: EVERY, pollLive: EVERY }),
  availability: (choice: AvailabilityChoice) =>
    pages(historyEndpoints.summary, { query: { ...choice, limit: PAGE } }, { keepPrevious: true }),
};

/** All rows, for a file. */
export async function readAvailability(choice: AvailabilityChoice): Promise<Availability[]> {
  const rows: Availability[] = [];
  for (let before = ''; ;) {
    const page = { ...choice, limit: PAGE, ...(before && { before }) };
    const { Items, Next } = await call(historyEndpoints.summary, { query: page });
    rows.push(...Items);
    if (!Next) return rows;
    before = Next;
  }
}
