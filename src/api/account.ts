// The account, its usage and its API tokens, as queries and mutations.
import { mutationOptions, queryOptions } from '@tanstack/react-query';
import { accountEndpoints } from '#/contract/account.ts';
import { call } from '#/api/call.ts';
import type { OrderKeys } from '#/api/order-keys.ts';

export const accountQueries = {
  get: () =>
    queryOptions({
      queryKey: ['account', 'usage'],
      queryFn: ({ signal }) => call(accountEndpoints.get, {}, { signal }),
      staleTime: 30_000,
    }),
  /** 404 on a service without this addition. */
  tokens: () =>
    queryOptions({
      queryKey: ['account', 'tokens'],
      queryFn: ({ signal }) => call(accountEndpoints.tokens, {}, { signal }),
    }),
};

const changed = { invalidates: [['account', 'tokens']] };

export const accountMutations = {
  createToken: (keys: OrderKeys) =>
    mutationOptions({
      mutationFn: (Name: string) =>
        keys.send(Name, (headers) => call(accountEndpoints.createToken, { body: { Name } }, { headers })),
      meta: changed,
    }),
  revokeToken: (id: string) =>
    mutationOptions({
      mutationFn: () => call(accountEndpoints.revokeToken, { params: { token_id: id } }),
      meta: changed,
    }),
};
