// The usage of the account from day to day, from a service that remembers it.
import { useQuery } from '@tanstack/react-query';
import type { Account } from '#/contract/account.ts';
import type { UsageDay } from '#/contract/usage.ts';
import { offers } from '#/api/capabilities.ts';
import { usageQueries } from '#/api/usage.ts';

const NONE: UsageDay[] = [];

export const useUsageHistory = (account: Account | undefined): UsageDay[] =>
  useQuery({ ...usageQueries.days(), enabled: account !== undefined && offers(account, 'usage') }).data?.Items ?? NONE;
