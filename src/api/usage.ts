// What the account used from day to day, as a query.
import { queryOptions } from '@tanstack/react-query';
import { usageEndpoints } from '#/contract/usage.ts';
import { call } from '#/api/call.ts';

export const usageQueries = {
  /** Newest first. A new row comes once a day. */
  days: () =>
    queryOptions({
      queryKey: ['account', 'usage', 'days'],
      queryFn: async ({ signal }) => (await call(usageEndpoints.list, {}, { signal })).Items,
      staleTime: 3_600_000,
    }),
};
