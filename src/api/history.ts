// The history of states: of one device, of the fleet, and how long devices, sites and groups were Online.
import { historyEndpoints, type Availability, type DeviceStateChange } from '#/contract/history.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { call } from '#/api/call.ts';
import { pages, query } from '#/api/query.ts';

const HOUR = 3_600_000;
const PAGE = '500';
/** Rows of the availability at a time, and the steps of their strips: a quarter of an hour each for a day. */
const STRIP_PAGE = '100';
const STRIP_STEPS = '96';
/** Most state changes read for a device, and for the fleet. */
const MAX_DEVICE_EVENTS = 5_000;
const MAX_FLEET_EVENTS = 1_000;
const POLL_INTERVAL = 60_000;

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

/** Reads events, newest first, until one is older than `from`; `isWhole` is false if it stopped at `most` of them. */
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
  /**
   * The changes of a device in the last `hours`, and the one before them. `state`: the current state; when it changes,
   * there is a new event.
   */
  device: (id: string, hours: number, state: string) =>
    query<typeof historyEndpoints.changes, Events>(
      historyEndpoints.changes,
      { query: { device_id: id } },
      {
        part: `${hours} ${state}`,
        read: ({ signal }) => readEvents({ device_id: id }, Date.now() - hours * HOUR, MAX_DEVICE_EVENTS, signal),
        keepPrevious: true,
        poll: POLL_INTERVAL,
      },
    ),
  /** The changes of the fleet in the last 24 hours. */
  latest: () =>
    query<typeof historyEndpoints.changes, Events>(
      historyEndpoints.changes,
      {},
      {
        read: ({ signal }) => {
          const from = Date.now() - 24 * HOUR;
          return readEvents({ from: new Date(from).toISOString() }, from, MAX_FLEET_EVENTS, signal);
        },
        poll: POLL_INTERVAL,
      },
    ),
  /** How many devices were in each state over the last hours, and how the jobs ended; a point is at least a minute long. */
  series: (hours: number) =>
    query(
      historyEndpoints.series,
      { query: { hours: String(hours) } },
      { poll: POLL_INTERVAL, pollLive: POLL_INTERVAL, keepPrevious: true },
    ),
  /** The service gaps of the last 24 hours, and the devices with the most changes. */
  lately: () =>
    query(
      historyEndpoints.summary,
      { query: { hours: '24', limit: '20' } },
      { poll: POLL_INTERVAL, pollLive: POLL_INTERVAL },
    ),
  /** A page of rows, each with its strip: they come in the same answer. */
  availability: (choice: AvailabilityChoice) =>
    pages(
      historyEndpoints.summary,
      { query: { ...choice, limit: STRIP_PAGE, steps: STRIP_STEPS } },
      { keepPrevious: true },
    ),
};

/** Reads all rows, for export. */
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
