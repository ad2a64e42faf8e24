// Whether the service reports changes by itself (events.ts), and how that affects polling: what is reported is not polled.
// Separate from the connection, which loads after the first paint.
import type { Operation } from '#/contract/resource.ts';
import { createListeners, createStore } from '#/lib/store.ts';

/** `off`: this service has no events. `lost`: the stream is down, so everything is polled until it is back. */
export type LiveState = 'off' | 'live' | 'lost';

/** Fallback polling interval in milliseconds for data whose changes are reported. */
const SAFETY = 300_000;
/** Milliseconds after which data is stale, and refetched by the next page that shows it. */
const FRESH = 5_000;

export const live = createStore<LiveState>('off');
/** Notified after each report about bulk work. */
export const bulkReports = createListeners();
export const isLive = (): boolean => live.get() === 'live';

/** The state of a query apart from its data. */
export interface ReadingState {
  error: Error | null;
  /** How many times it was read. */
  dataUpdateCount: number;
}

/** Polling interval in milliseconds; false for no polling. */
export type Pace<Data> = number | false | ((data: Data | undefined, state: ReadingState) => number | false);

/** The only rule for polling: at `usual` while changes are not reported, and no faster than `whileLive` while they are. */
export const livePace =
  <Data>(usual: Pace<Data>, whileLive: Pace<Data> = SAFETY) =>
  ({ state }: { state: ReadingState & { data: unknown } }): number | false => {
    const of = (pace: Pace<Data>) => (typeof pace === 'function' ? pace(state.data as Data | undefined, state) : pace);
    const pace = of(usual);
    return pace && isLive() ? Math.max(pace, of(whileLive) || SAFETY) : pace;
  };

interface AnyQuery {
  meta: { operation?: Operation; isSnapshot?: boolean | undefined } | undefined;
}

/** Whether the service reports changes of the data of this query. */
export const isReported = ({ meta }: AnyQuery): boolean => {
  const { live: reports, follows } = meta?.operation?.resource ?? {};
  return !meta?.isSnapshot && (reports !== undefined || follows !== undefined);
};

/** The stale time in milliseconds. Reported data stays fresh until a change is reported. */
export const staleAfter = (query: AnyQuery): number => (isLive() && isReported(query) ? Infinity : FRESH);
