// The account and its usage, as a query.
import { queryOptions } from '@tanstack/react-query';
import { accountEndpoints } from '#/contract/account.ts';
import { call } from '#/api/call.ts';
import { noteIdempotency } from '#/api/idempotency.ts';

export const accountQueries = {
  get: () =>
    queryOptions({
      queryKey: ['account', 'usage'],
      queryFn: async ({ signal }) => {
        const account = await call(accountEndpoints.get, {}, { signal });
        noteIdempotency(account.Capabilities?.includes('idempotency') ?? false);
        return account;
      },
      staleTime: 30_000,
    }),
};
