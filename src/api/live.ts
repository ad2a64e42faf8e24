// Whether the service reports changes by itself (events.ts), and what that means for everything that is read: what is
// reported is not polled. Apart from the connection, which loads after the first paint.
import type { Operation } from '#/contract/resource.ts';
import { createListeners, createStore } from '#/lib/store.ts';

/** `off`: this service has no events. `lost`: they come no more, so that everything is polled until they do. */
export type LiveState = 'off' | 'live' | 'lost';

/** Milliseconds after which what is reported is read again all the same. */
const SAFETY = 300_000;
/** What was read so long ago is read again by the next page that shows it. */
const FRESH = 5_000;

export const live = createStore<LiveState>('off');
/** After each report that concerns bulk work. */
export const bulkReports = createListeners();
export const isLive = (): boolean => live.get() === 'live';

/** What a query knows beside its data. */
export interface ReadingState {
  error: Error | null;
  /** How often it was read. */
  dataUpdateCount: number;
}

/** Milliseconds between two readings; false for none. */
export type Pace<Data> = number | false | ((data: Data | undefined, state: ReadingState) => number | false);

/** The one rule for polling: `usual` while changes are not reported, and at most every `whileLive` while they are. */
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

/** Whether the changes of what a query shows are reported. */
export const isReported = ({ meta }: AnyQuery): boolean => {
  const { live: reports, follows } = meta?.operation?.resource ?? {};
  return !meta?.isSnapshot && (reports !== undefined || follows !== undefined);
};

/** How long a reading holds, in milliseconds: what is reported, until a change of it is. */
export const staleAfter = (query: AnyQuery): number => (isLive() && isReported(query) ? Infinity : FRESH);
