// The history of usage as this browser keeps it for whoever is signed in.
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import type { Account } from '#/contract/account.ts';
import { useAccountKey } from '#/api/account-key.ts';
import { keepText, onKept, readKept } from '#/ui/form/kept-text.ts';
import { printUsage, readUsage, withPoint } from './usage-history.ts';
import type { UsagePoint } from './usage-history.ts';

/** The history of this account, with what was read just now. */
export function useUsageHistory(account: Account | undefined, readAt: number): UsagePoint[] {
  const key = useAccountKey('muster-usage');
  const text = useSyncExternalStore(onKept, () => readKept(key));
  useEffect(() => {
    if (!account || readAt === 0 || key.endsWith(':')) return;
    const { NumDevicesAdded: devices, ArtifactBytesUsed: bytes } = account;
    const points = readUsage(readKept(key));
    if ((points.at(-1)?.at ?? 0) >= readAt) return;
    keepText(key, printUsage(withPoint(points, { at: readAt, devices, bytes })));
  }, [account, readAt, key]);
  return useMemo(() => readUsage(text), [text]);
}
