// The API tokens and sessions of the account. Separate from the account itself, which every page reads.
import { mutationOptions } from '@tanstack/react-query';
import { accountEndpoints } from '#/contract/account.ts';
import { call } from '#/api/call.ts';
import { requireOffer } from '#/api/capabilities.ts';
import { mutation, query, requestMutation } from '#/api/query.ts';
import type { RequestKeys } from '#/api/request-keys.ts';

export const tokenQueries = {
  tokens: () =>
    query(
      accountEndpoints.tokens,
      {},
      {
        read: async ({ signal }) => {
          await requireOffer('tokens');
          return call(accountEndpoints.tokens, {}, { signal });
        },
      },
    ),
  sessions: () =>
    query(
      accountEndpoints.sessions,
      {},
      {
        read: async ({ signal }) => {
          await requireOffer('sessions');
          return call(accountEndpoints.sessions, {}, { signal });
        },
      },
    ),
};

export const tokenMutations = {
  createToken: (keys: RequestKeys) => mutation(accountEndpoints.createToken, {}, { keys }),
  revokeToken: (id: string) => requestMutation(accountEndpoints.revokeToken, { params: { token_id: id } }),
  endSession: () =>
    mutationOptions({
      mutationFn: (id: string) => call(accountEndpoints.endSession, { params: { session_id: id } }),
      meta: { operation: accountEndpoints.endSession },
    }),
  endSessions: () => requestMutation(accountEndpoints.endSessions, {}),
};
