// Defaults of every query and mutation: polling, what a write makes stale, and the reaction to a 401.
import { MutationCache, QueryCache, QueryClient, partialMatchKey, type QueryKey } from '@tanstack/react-query';
import { isSignedOut } from '#/api/api-error.ts';
import { staleAfter } from '#/api/live.ts';
import { onSession, sessionEnded, sessionQueries } from '#/api/session.ts';
import { retryDelay, shouldRetry } from '#/lib/retry.ts';

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: {
      /** The keys, or beginnings of keys, that this write makes stale. */
      invalidates?: readonly QueryKey[];
      /** The keys of what this write deletes: a page that is being left must not request it again. */
      deletes?: readonly QueryKey[];
      /** The device that this write changes, for the fleet in memory: it shows the write before the next reading. */
      device?: { id: string; is: 'changed' | 'located' | 'deleted' };
    };
  }
}

const noticeSignOut = (error: Error) => {
  if (isSignedOut(error)) sessionEnded();
};

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeSignOut }),
  mutationCache: new MutationCache({
    onError: noticeSignOut,
    // After a failure too: the write may have succeeded although its answer was lost.
    onSettled: (_data, error, _variables, _result, mutation) => {
      const { invalidates = [], deletes = [] } = mutation.meta ?? {};
      const remains = ({ queryKey }: { queryKey: QueryKey }) =>
        error !== null || !deletes.some((deleted) => partialMatchKey(queryKey, deleted));
      for (const queryKey of invalidates) void queryClient.invalidateQueries({ queryKey, predicate: remains });
    },
  }),
  defaultOptions: {
    queries: { networkMode: 'always', staleTime: staleAfter, retry: shouldRetry, retryDelay },
    // "always": an offline click must fail now, and not run when the network is back.
    mutations: { networkMode: 'always', retry: false },
  },
});

// The sign-in page does not load this cache.
onSession((event) => event === 'in' && void queryClient.invalidateQueries(sessionQueries.current()));
