// Whether the service reports changes by itself (events.ts), and what that means for everything that is read: what is
// reported is not polled. Apart from the connection, which loads after the first picture.
import { createListeners, createStore } from '#/lib/store.ts';

/** `off`: this service has no events. `lost`: they come no more, so that everything is polled until they do. */
export type LiveState = 'off' | 'live' | 'lost';

/** The first word of the keys of queries whose changes are reported. */
const REPORTED = [
  'devices',
  'jobs',
  'tunnels',
  'artifacts',
  'workflows',
  'tags',
  'account',
  'alerts',
  'bulk',
  'versions',
  'rollouts',
];

interface AnyQuery {
  queryKey: readonly unknown[];
}

export const isReported = ({ queryKey: [first] }: AnyQuery): boolean => REPORTED.includes(String(first));

/** Milliseconds after which what is reported is read again all the same. */
const SAFETY = 300_000;
/** What was read so long ago is read again by the next page that shows it. */
const FRESH = 5_000;

export const live = createStore<LiveState>('off');
/** After each report that concerns bulk work. */
export const bulkReports = createListeners();
export const isLive = (): boolean => live.get() === 'live';

/** What a query shows of itself. */
export interface QueryReading<Data> {
  state: { data: Data | undefined; error: Error | null };
}

/** The one rule for polling: `usual` where the service does not report changes, or cannot for now; else `safety`. */
export const livePace =
  <Of>(usual: number | false | ((query: Of) => number | false | undefined), safety = SAFETY) =>
  (query: Of): number | false | undefined => {
    const pace = typeof usual === 'function' ? usual(query) : usual;
    return pace && isLive() ? Math.max(pace, safety) : pace;
  };

/** How long a reading holds, in milliseconds: what is reported, until a change of it is. */
export const staleAfter = (query: AnyQuery): number => (isLive() && isReported(query) ? Infinity : FRESH);
