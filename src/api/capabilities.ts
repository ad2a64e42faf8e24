// What the service offers beyond the document, as its account says. A plain /v1 service says nothing, and is asked for
// nothing else: neither by a page nor to find out.
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Account, Capability } from '#/contract/account.ts';
import { accountQueries } from '#/api/account.ts';
import { ApiError } from '#/api/api-error.ts';
import { queryClient } from '#/api/query-client.ts';

export const offers = ({ Capabilities }: Account, capability: Capability): boolean =>
  Capabilities?.includes(capability) ?? false;

/** Whether the service offers this; no data until that is known. */
export const offered = (capability: Capability) =>
  queryOptions({ ...accountQueries.get(), select: (account) => offers(account, capability) });

/** Whether a page shows this; undefined until it is known. */
export const useOffered = (capability: Capability): boolean | undefined => useQuery(offered(capability)).data;

/** Everything that the service offers; empty until it is known. */
export const useCapabilities = (): readonly Capability[] => useQuery(accountQueries.get()).data?.Capabilities ?? NONE;
const NONE: readonly Capability[] = [];

/** Whether the service offers this. What it offers does not change from one request to the next. */
export const isOffered = async (capability: Capability): Promise<boolean> =>
  offers(await queryClient.query({ ...accountQueries.get(), staleTime: Infinity }), capability);

/** Fails as `isNotOffered`, without a request, where the service does not offer this. */
export async function requireOffer(capability: Capability): Promise<void> {
  if (!(await isOffered(capability)))
    throw new ApiError('refused', 'This service does not offer this', { status: 501, detail: 'Nothing was sent.' });
}
