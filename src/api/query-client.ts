// Defaults of every query and mutation: when to ask again, what a write makes stale, and where a 401 leads.
import { MutationCache, QueryCache, QueryClient, partialMatchKey } from '@tanstack/react-query';
import type { QueryKey } from '@tanstack/react-query';
import { ApiError, isSignedOut } from '#/api/api-error.ts';
import { sessionEnded } from '#/api/session.ts';

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: {
      /** The keys (or beginnings of keys) that this write makes stale. */
      invalidates?: readonly QueryKey[];
      /** The keys of what this write deletes: a page that is being left must not ask for it once more. */
      deletes?: readonly QueryKey[];
    };
  }
}

/** Reads are asked again at most three times, when no answer came or the service said "later". Writes never are. */
const shouldRetry = (failures: number, error: Error) =>
  failures < 3 &&
  error instanceof ApiError &&
  (error.kind === 'network' || [429, 502, 503, 504].includes(error.status));

/** Full jitter, doubling from half a second; a Retry-After of the service counts as the least. */
const retryDelay = (failures: number, error: Error) =>
  ((error instanceof ApiError && error.retryAfter) || 0) * 1000 + Math.random() * Math.min(8_000, 500 * 2 ** failures);

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
