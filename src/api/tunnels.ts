// Tunnels, as queries and mutations.
import { tunnelEndpoints } from '#/contract/tunnels.ts';
import { query, requestMutation } from '#/api/query.ts';

export const tunnelQueries = {
  /** Polled while live too: traffic is not among the reported changes. */
  list: () => query(tunnelEndpoints.list, {}, { pollLive: 15_000 }),
};

export const tunnelMutations = {
  remove: (name: string) => requestMutation(tunnelEndpoints.remove, { params: { tunnel_id: name } }),
  removeAll: () => requestMutation(tunnelEndpoints.removeAll, {}),
};
