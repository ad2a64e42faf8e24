// Tunnels, as queries and mutations.
import { queryOptions } from '@tanstack/react-query';
import { tunnelEndpoints } from '#/contract/tunnels.ts';
import { call } from '#/api/call.ts';
import { livePace } from '#/api/live.ts';
import { requestMutation } from '#/api/request-of.ts';

const changed = { invalidates: [['tunnels']] };

export const tunnelQueries = {
  list: () =>
    queryOptions({
      queryKey: ['tunnels'],
      queryFn: ({ signal }) => call(tunnelEndpoints.list, {}, { signal }),
      // Traffic is not reported.
      refetchInterval: livePace(5_000, 15_000),
    }),
};

export const tunnelMutations = {
  remove: (name: string) => requestMutation(tunnelEndpoints.remove, { params: { tunnel_id: name } }, changed),
  removeAll: () => requestMutation(tunnelEndpoints.removeAll, {}, changed),
};
