// The account query, which also tells the request layer whether it may send an Idempotency-Key.
import { accountEndpoints } from '#/contract/account.ts';
import { call } from '#/api/call.ts';
import { noteIdempotency } from '#/api/idempotency.ts';
import { mutation, query } from '#/api/query.ts';

export const accountQueries = {
  get: () =>
    query(
      accountEndpoints.get,
      {},
      {
        read: async ({ signal }) => {
          const account = await call(accountEndpoints.get, {}, { signal });
          noteIdempotency(account.Capabilities?.includes('idempotency') ?? false);
          return account;
        },
        staleTime: 30_000,
      },
    ),
};

export const accountMutations = {
  update: () => mutation(accountEndpoints.update, {}),
};
