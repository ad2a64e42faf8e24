// Saved views of the devices, which the service stores for everybody of the account. Their writes are in view-writes.ts.
// The table loads both late: its first picture does without.
import { queryOptions } from '@tanstack/react-query';
import { call } from '#/api/call.ts';

export const viewQueries = {
  list: () =>
    queryOptions({
      queryKey: ['views'],
      queryFn: async ({ signal }) => {
        const { viewEndpoints } = await import('#/contract/views.ts');
        return call(viewEndpoints.list, {}, { signal });
      },
    }),
};
