// What the account used from day to day, as a query.
import { usageEndpoints } from '#/contract/usage.ts';
import { query } from '#/api/query.ts';

export const usageQueries = {
  /** Newest first. A new row comes once a day. */
  days: () => query(usageEndpoints.list, {}, { staleTime: 3_600_000 }),
};
