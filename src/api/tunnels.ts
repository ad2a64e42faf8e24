// Tunnels, as queries and mutations.
import { mutationOptions, queryOptions } from '@tanstack/react-query';
import { tunnelEndpoints } from '#/contract/tunnels.ts';
import { call } from '#/api/call.ts';

const changed = { invalidates: [['tunnels']] };

export const tunnelQueries = {
  list: () =>
    queryOptions({
      queryKey: ['tunnels'],
      queryFn: ({ signal }) => call(tunnelEndpoints.list, {}, { signal }),
      refetchInterval: 10_000,
    }),
};

export const tunnelMutations = {
  remove: (name: string) =>
    mutationOptions({
      mutationFn: () => call(tunnelEndpoints.remove, { params: { tunnel_id: name } }),
      meta: changed,
    }),
  removeAll: () => mutationOptions({ mutationFn: () => call(tunnelEndpoints.removeAll, {}), meta: changed }),
};
