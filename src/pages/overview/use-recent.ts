// The latest changes of states in the fleet, read again soon after one is seen.
import { useEffect, useMemo, useRef } from 'react';
import { useQuery } from '@tanstack/react-query';
import { historyQueries, type StateEvent } from '#/api/history.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import type { Span } from '#/features/device-history/state-stretches.ts';
import { flappingOf, recentChanges, type Flapping, type Happening } from './recent-changes.ts';

/** Milliseconds between two readings while states change. */
const PAUSE = 3_000;
const NO_EVENTS: StateEvent[] = [];

export interface Recent {
  /** Whether this service has a history. */
  isOffered: boolean;
  /** Newest first. */
  events: readonly StateEvent[];
  gaps: readonly Span[];
  happenings: readonly Happening[];
  flapping: readonly Flapping[];
  /** Since when the list is complete, if that is not the whole day. */
  since: number | undefined;
  /** Undefined until it was read. */
  data: object | undefined;
  error: Error | null;
}

const timeOf = (text: string) => parseTimestamp(text)?.getTime() ?? 0;

/** `online`: how many devices are Online; another number means that states changed. */
export function useRecent(isOffered: boolean, index: FleetIndex | undefined, online: number | undefined): Recent {
  const latest = useQuery({ ...historyQueries.latest(), enabled: isOffered });
  const lately = useQuery({ ...historyQueries.lately(), enabled: isOffered });
  const { refetch, dataUpdatedAt } = latest;
  const last = useRef({ online, readAt: 0 });
  useEffect(() => {
    last.current.readAt = dataUpdatedAt;
  }, [dataUpdatedAt]);
  useEffect(() => {
    const { online: before, readAt } = last.current;
    last.current.online = online;
    // Both were read at the beginning.
    if (!isOffered || before === undefined || before === online) return undefined;
    const timer = setTimeout(() => void refetch(), Math.max(0, readAt + PAUSE - Date.now()));
    return () => clearTimeout(timer);
  }, [isOffered, online, refetch]);
  return useMemo(() => {
    const { events = NO_EVENTS, isWhole = true } = latest.data ?? {};
    const gaps = (lately.data?.Gaps ?? []).map(({ From, To }) => ({ from: timeOf(From), to: timeOf(To) }));
    const flapping = flappingOf(lately.data?.Items ?? []);
    // The time before the history began is no time in which the service was down.
    const begin = lately.data ? timeOf(lately.data.From) : 0;
    const down = gaps.filter(({ from }) => from > begin);
    const happenings = index ? recentChanges(index, events, down, new Set(flapping.map(({ id }) => id))) : [];
    const since = isWhole ? undefined : events.at(-1)?.at;
    return { isOffered, events, gaps, happenings, flapping, since, data: latest.data, error: latest.error };
  }, [isOffered, index, latest.data, latest.error, lately.data]);
}
