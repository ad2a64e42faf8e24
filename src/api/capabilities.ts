// What the service offers beyond the document, as its account says. A plain /v1 service says nothing.
import { queryOptions } from '@tanstack/react-query';
import type { Account, Capability } from '#/contract/account.ts';
import { accountQueries } from '#/api/account.ts';

export const offers = ({ Capabilities }: Account, capability: Capability): boolean =>
  Capabilities?.includes(capability) ?? false;

/** Whether the service offers this; no data until that is known. */
export const offered = (capability: Capability) =>
  queryOptions({ ...accountQueries.get(), select: (account) => offers(account, capability) });
