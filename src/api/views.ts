// Saved views of the devices, which the service stores for everybody of the account. Their writes are in view-writes.ts,
// which the table loads late.
import { queryOptions } from '@tanstack/react-query';
import { viewEndpoints } from '#/contract/views.ts';
import { call } from '#/api/call.ts';

export const viewQueries = {
  list: () => queryOptions({ queryKey: ['views'], queryFn: ({ signal }) => call(viewEndpoints.list, {}, { signal }) }),
};
