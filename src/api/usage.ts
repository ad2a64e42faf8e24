// The account's usage per day.
import { usageEndpoints } from '#/contract/usage.ts';
import { query } from '#/api/query.ts';

export const usageQueries = {
  /** Newest first. A new row is added once a day. */
  days: () => query(usageEndpoints.list, {}, { staleTime: 3_600_000 }),
};
