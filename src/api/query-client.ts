// Defaults of every query and mutation: when to ask again, what a write makes stale, and where a 401 leads.
import { MutationCache, QueryCache, QueryClient, partialMatchKey } from '@tanstack/react-query';
import type { QueryKey } from '@tanstack/react-query';
import { isSignedOut } from '#/api/api-error.ts';
import { onSession, sessionEnded, sessionQueries } from '#/api/session.ts';
import { retryDelay, shouldRetry } from '#/lib/retry.ts';

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: {
      /** The keys (or beginnings of keys) that this write makes stale. */
      invalidates?: readonly QueryKey[];
      /** The keys of what this write deletes: a page that is being left must not ask for it once more. */
      deletes?: readonly QueryKey[];
      /** The one device that this write is about, for the fleet in memory: it shows the write before it is read again. */
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
    // After a failure too: a lost answer may hide a write that was carried out.
    onSettled: (_data, error, _variables, _result, mutation) => {
      const { invalidates = [], deletes = [] } = mutation.meta ?? {};
      const remains = ({ queryKey }: { queryKey: QueryKey }) =>
        error !== null || !deletes.some((deleted) => partialMatchKey(queryKey, deleted));
      for (const queryKey of invalidates) void queryClient.invalidateQueries({ queryKey, predicate: remains });
    },
  }),
  defaultOptions: {
    queries: { networkMode: 'always', staleTime: 5_000, retry: shouldRetry, retryDelay },
    // "always": an offline click must fail now, not fire when the network is back.
    mutations: { networkMode: 'always', retry: false },
  },
});

// The sign-in page knows nothing of this cache.
onSession((event) => event === 'in' && void queryClient.invalidateQueries(sessionQueries.current()));
