// How much of this browser's storage the archive takes, how much there is, and whether it may be cleared.
import { useQuery } from '@tanstack/react-query';
import { formatBytes } from '#/lib/format.ts';

/** Over plain http a browser tells nothing of it. */
async function readStorage() {
  const { storage } = navigator as { storage?: StorageManager };
  if (!storage?.estimate) return null;
  const [{ usage, quota }, kept] = await Promise.all([storage.estimate(), storage.persisted?.() ?? false]);
  return { usage, quota, kept };
}

export function StorageNote({ bytes }: { bytes: number }) {
  const { data } = useQuery({ queryKey: ['archive', 'storage', bytes], queryFn: readStorage, retry: false });
  const free = data?.quota !== undefined && data.usage !== undefined ? data.quota - data.usage : undefined;
  return (
    <p className="dim">
      The archive takes {formatBytes(bytes)} here{free !== undefined && `, and ${formatBytes(free)} are free`}.{' '}
      {data?.kept ? 'The browser keeps it until it is deleted.' : 'The browser may clear it when the disk runs full.'}
    </p>
  );
}
