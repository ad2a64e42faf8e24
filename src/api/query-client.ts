// Defaults of every query and mutation: polling, what a write makes stale, and the reaction to a 401.
import { MutationCache, QueryCache, QueryClient, type Query } from '@tanstack/react-query';
import { isBeyondRole, isSignedOut } from '#/api/api-error.ts';
import { staleAfter } from '#/api/live.ts';
import { changedBy, invalidate, objectOf, query, requestOfQuery } from '#/api/query.ts';
import { onSession, sessionEnded, sessionQueries } from '#/api/session.ts';
import { peopleEndpoints } from '#/contract/people.ts';
import type { Operation } from '#/contract/resource.ts';
import { retryDelay, shouldRetry } from '#/lib/retry.ts';

const noticeRefusal = (error: Error) => {
  if (isSignedOut(error)) sessionEnded();
  // What the page offers then follows the role.
  if (isBeyondRole(error)) void queryClient.invalidateQueries(query(peopleEndpoints.me, {}));
};

/** Whether the operation deletes the object that its request names, and not just a part of it. */
const isDeletion = ({ method, path, resource: { id } }: Operation) => method === 'DELETE' && path.endsWith(`/:${id}`);

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeRefusal }),
  mutationCache: new MutationCache({
    onError: noticeRefusal,
    // Also after a failure: the write may have succeeded although its answer was lost.
    onSettled: (_data, error, variables, _result, { meta = {} }) => {
      const { operation, request = variables, changes = operation ? changedBy(operation) : [] } = meta;
      if (changes.length === 0) return;
      const deleted = operation && isDeletion(operation) && !error ? objectOf(operation, request) : undefined;
      // A page that is being left must not refetch the object that it has just deleted.
      const isGone = (each: Query) => {
        const about = operation && objectOf(operation, requestOfQuery(each));
        return deleted !== undefined && about === deleted;
      };
      void invalidate(queryClient, changes, isGone);
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
