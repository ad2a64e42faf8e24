// The API tokens and sessions of the account, as queries and mutations. Apart from the account, which every page reads.
import { mutationOptions, queryOptions } from '@tanstack/react-query';
import { accountEndpoints } from '#/contract/account.ts';
import { call } from '#/api/call.ts';
import { requireOffer } from '#/api/capabilities.ts';
import type { RequestKeys } from '#/api/request-keys.ts';
import { requestMutation } from '#/api/request-of.ts';

export const tokenQueries = {
  tokens: () =>
    queryOptions({
      queryKey: ['account', 'tokens'],
      queryFn: async ({ signal }) => {
        await requireOffer('tokens');
        return call(accountEndpoints.tokens, {}, { signal });
      },
    }),
  sessions: () =>
    queryOptions({
      queryKey: ['account', 'sessions'],
      queryFn: async ({ signal }) => {
        await requireOffer('sessions');
        return call(accountEndpoints.sessions, {}, { signal });
      },
    }),
};

/** Revoking a token ends its sessions too. */
const changed = {
  invalidates: [
    ['account', 'tokens'],
    ['account', 'sessions'],
  ],
};
const sessionsChanged = { invalidates: [['account', 'sessions']] };

export const tokenMutations = {
  createToken: (keys: RequestKeys) =>
    mutationOptions({
      mutationFn: (body: { Name: string; Proof?: string }) =>
        keys.send(body.Name, (headers) => call(accountEndpoints.createToken, { body }, { headers })),
      meta: changed,
    }),
  revokeToken: (id: string) => requestMutation(accountEndpoints.revokeToken, { params: { token_id: id } }, changed),
  endSession: () =>
    mutationOptions({
      mutationFn: (id: string) => call(accountEndpoints.endSession, { params: { session_id: id } }),
      meta: sessionsChanged,
    }),
  endSessions: () => requestMutation(accountEndpoints.endSessions, {}, sessionsChanged),
};
