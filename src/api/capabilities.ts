// What the service offers beyond the document, as listed in its account. A plain /v1 service lists nothing, and is never
// sent a request for an addition, not even to probe for it.
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Account, Capability } from '#/contract/account.ts';
import { accountQueries } from '#/api/account.ts';
import { ApiError } from '#/api/api-error.ts';
import { queryClient } from '#/api/query-client.ts';

export const offers = ({ Capabilities }: Account, capability: Capability): boolean =>
  Capabilities?.includes(capability) ?? false;

/** Whether the service offers this capability, as query options. */
export const offered = (capability: Capability) =>
  queryOptions({ ...accountQueries.get(), select: (account) => offers(account, capability) });

/** Whether the service offers this capability; undefined until the account is loaded. */
export const useOffered = (capability: Capability): boolean | undefined => useQuery(offered(capability)).data;

/** All capabilities of the service; empty until the account is loaded. */
export const useCapabilities = (): readonly Capability[] => useQuery(accountQueries.get()).data?.Capabilities ?? NONE;
const NONE: readonly Capability[] = [];

/** Whether the service offers this capability. Capabilities are read once per sign-in. */
export const isOffered = async (capability: Capability): Promise<boolean> =>
  offers(await queryClient.query({ ...accountQueries.get(), staleTime: Infinity }), capability);

/** Throws an error that `isNotOffered` recognises, without a request, if the service lacks this capability. */
export async function requireOffer(capability: Capability): Promise<void> {
  if (!(await isOffered(capability)))
    throw new ApiError('refused', 'This service does not offer this', { status: 501, detail: 'Nothing was sent.' });
}
