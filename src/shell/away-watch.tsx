// Shows a notice while the service cannot be reached, and repeats one small request, so that pages that poll nothing
// recover too. It is not loaded late: by then there would be no service to load it from.
import { useEffect, useSyncExternalStore } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { send } from '#/api/call.ts';
import { isUnreachable, lastResponseTime, onReach } from '#/api/reach.ts';
import { setAway, useAway } from '#/ui/page/away.ts';
import { Time } from '#/ui/controls/time.tsx';
import { Notice } from './notice.tsx';

/** Milliseconds before each retry; the last one repeats. A single lost answer is not reported. */
const PAUSES = [700, 2_000, 3_000, 5_000, 10_000];
/** Milliseconds after which a request has failed. */
const TIMEOUT = 8_000;

/** {@link isUnreachable} has the result. */
const ping = () => send('GET', '/v1/account', undefined, { timeout: TIMEOUT }).catch(() => {});

export function AwayWatch() {
  const client = useQueryClient();
  const isLost = useSyncExternalStore(onReach, isUnreachable);
  const away = useAway();
  useEffect(() => {
    // A page that polls nothing would not notice.
    const onOffline = () => void ping();
    window.addEventListener('offline', onOffline);
    return () => window.removeEventListener('offline', onOffline);
  }, []);
  useEffect(() => {
    if (!isLost) return;
    let timer: ReturnType<typeof setTimeout>;
    let tries = 0;
    const retry = async () => {
      // A hidden page waits until somebody looks.
      if (document.visibilityState === 'visible') {
        // Any answer ends this effect, even a refusal.
        await ping();
        if (isUnreachable()) setAway(new Date(lastResponseTime()));
      }
      if (isUnreachable()) next();
    };
    const next = () => {
      // Random, so that pages that lost the service at the same moment do not all return at the same moment.
      const pause = (PAUSES[Math.min(tries++, PAUSES.length - 1)] ?? 0) * (0.8 + Math.random() * 0.4);
      timer = setTimeout(() => void retry(), pause);
    };
    const atOnce = () => {
      clearTimeout(timer);
      void retry();
    };
    next();
    window.addEventListener('online', atOnce);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('online', atOnce);
      setAway(undefined);
      // Reads what failed or became stale meanwhile.
      void client.refetchQueries({ type: 'active', stale: true });
    };
  }, [isLost, client]);
  if (!away) return null;
  return (
    <Notice icon={IconPlugConnectedX}>
      <strong>{navigator.onLine ? 'The service cannot be reached.' : 'This computer is offline.'}</strong> Its last
      answer came <Time at={away} />. Retrying automatically.
    </Notice>
  );
}
