// The usage of the account from day to day, from a service that remembers it.
import { useQuery } from '@tanstack/react-query';
import type { Account } from '#/contract/account.ts';
import type { UsageDay } from '#/contract/usage.ts';
import { accountQueries } from '#/api/account.ts';

const NONE: UsageDay[] = [];

export const useUsageHistory = (account: Account | undefined): UsageDay[] =>
  useQuery({ ...accountQueries.usage(), enabled: account?.History === true }).data ?? NONE;
