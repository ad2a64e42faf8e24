// Tunnels, as queries and mutations.
import { tunnelEndpoints } from '#/contract/tunnels.ts';
import { mutation, query, requestMutation } from '#/api/query.ts';
import type { RequestKeys } from '#/api/request-keys.ts';

export const tunnelQueries = {
  /** Polled while live too: traffic is not among the reported changes. */
  list: () => query(tunnelEndpoints.list, {}, { pollLive: 15_000 }),
};

export const tunnelMutations = {
  /** The request contains the login, so it leaves the cache as soon as nothing shows it. */
  open: (keys: RequestKeys) => mutation(tunnelEndpoints.open, {}, { keys, gcTime: 0 }),
  remove: (name: string) => requestMutation(tunnelEndpoints.remove, { params: { tunnel_id: name } }),
  removeAll: () => requestMutation(tunnelEndpoints.removeAll, {}),
};
