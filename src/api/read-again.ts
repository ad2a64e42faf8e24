// Refetches failed queries with backoff: while the service reports changes, most queries are not polled and would show
// their error until somebody clicks Retry. On a hidden page nothing is refetched; React Query does so when it is shown.
// Loaded after the first paint.
import type { Query, QueryClient } from '@tanstack/react-query';
import { isNotOffered } from '#/api/api-error.ts';
import { isUnreachable } from '#/api/reach.ts';
import { isTemporary } from '#/lib/retry.ts';

/** Milliseconds before a refetch, at first and at most. */
const PAUSE = { first: 3_000, most: 60_000 };

/** Starts refetching failed queries; the returned function stops it. */
export function readFailedAgain(client: QueryClient): () => void {
  const failures = new WeakMap<Query, number>();
  const timers = new Map<Query, ReturnType<typeof setTimeout>>();
  const isWanted = (query: Query) =>
    query.isActive() && query.state.status === 'error' && query.state.fetchStatus === 'idle' && !document.hidden;
  const plan = (query: Query) => {
    if (!isTemporary(query.state.error) || isNotOffered(query.state.error) || timers.has(query)) return;
    // Everything that failed is read again when the service is back.
    if (isUnreachable()) return;
    const failed = failures.get(query) ?? 0;
    failures.set(query, failed + 1);
    const again = () => {
      timers.delete(query);
      if (isWanted(query)) void client.refetchQueries({ queryKey: query.queryKey, exact: true, type: 'active' });
    };
    // Random, so that queries that failed together are not refetched together.
    const pause = Math.min(PAUSE.most, PAUSE.first * 2 ** failed) * (0.8 + Math.random() * 0.4);
    timers.set(query, setTimeout(again, pause));
  };
  const cache = client.getQueryCache();
  for (const query of cache.getAll()) if (query.state.status === 'error') plan(query);
  const stop = cache.subscribe((event) => {
    if (event.type !== 'updated') return;
    const query = event.query as Query;
    if (event.action.type === 'error') plan(query);
    if (event.action.type === 'success') failures.delete(query);
  });
  return () => {
    stop();
    for (const timer of timers.values()) clearTimeout(timer);
  };
}
