// Reads again what a page shows as failed, more and more rarely: most queries of a service that reports changes are not
// polled, and would show the error until somebody clicks Retry. A hidden page waits until it is seen: then React Query
// reads it. Loaded after the first paint.
import type { Query, QueryClient } from '@tanstack/react-query';
import { isNotOffered } from '#/api/api-error.ts';
import { isTemporary } from '#/lib/retry.ts';

/** Milliseconds before it is read again, at first and at most. */
const PAUSE = { first: 3_000, most: 60_000 };

/** Until the returned function is called. */
export function readFailedAgain(client: QueryClient): () => void {
  const failures = new WeakMap<Query, number>();
  const timers = new Map<Query, ReturnType<typeof setTimeout>>();
  const isWanted = (query: Query) =>
    query.isActive() && query.state.status === 'error' && query.state.fetchStatus === 'idle' && !document.hidden;
  const plan = (query: Query) => {
    if (!isTemporary(query.state.error) || isNotOffered(query.state.error) || timers.has(query)) return;
    const failed = failures.get(query) ?? 0;
    failures.set(query, failed + 1);
    const again = () => {
      timers.delete(query);
      if (isWanted(query)) void client.refetchQueries({ queryKey: query.queryKey, exact: true, type: 'active' });
    };
    // Random, so that what failed together is not read together.
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
