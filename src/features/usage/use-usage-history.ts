// The history of usage of the account, as this browser stores it.
import { useEffect } from 'react';
import type { Account } from '#/contract/account.ts';
import { currentAccount, stored } from '#/lib/stored.ts';
import { useStore } from '#/ui/state/use-store.ts';
import { printUsage, readUsage, withPoint, type UsagePoint } from './usage-history.ts';

const NONE: UsagePoint[] = [];
const usage = stored('muster-usage', NONE, { read: readUsage, print: printUsage });

export function useUsageHistory(account: Account | undefined, readAt: number): UsagePoint[] {
  const email = useStore(currentAccount);
  useEffect(() => {
    if (!account || readAt === 0 || email === '') return;
    const { NumDevicesAdded: devices, ArtifactBytesUsed: bytes } = account;
    const points = usage.get();
    if ((points.at(-1)?.at ?? 0) < readAt) usage.set(withPoint(points, { at: readAt, devices, bytes }));
  }, [account, readAt, email]);
  return useStore(usage);
}
