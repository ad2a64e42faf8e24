// Shows that the service is away, until it is back. Meanwhile one small request is repeated, so that pages which read
// nothing by themselves recover, too. Not fetched later: by then there is no service to fetch it from.
import { useEffect, useSyncExternalStore } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { send } from '#/api/call.ts';
import { isLostNow, lastAnswer, onReach } from '#/api/reach.ts';
import { setAway, useAway } from '#/ui/page/away.ts';
import { Time } from '#/ui/controls/time.tsx';
import { Notice } from './notice.tsx';

/** Milliseconds before each question; the last one goes on. One lost answer alone is no news. */
const PAUSES = [700, 2_000, 3_000, 5_000, 10_000];
/** An answer later than this is none. */
const PATIENCE = 8_000;

/** {@link isLostNow} has the result. */
const askOnce = () => send('GET', '/v1/account', undefined, { timeout: PATIENCE }).catch(() => {});

export function AwayWatch() {
  const client = useQueryClient();
  const isLost = useSyncExternalStore(onReach, isLostNow);
  const away = useAway();
  useEffect(() => {
    // A page that reads nothing by itself would not notice.
    const ask = () => void askOnce();
    window.addEventListener('offline', ask);
    return () => window.removeEventListener('offline', ask);
  }, []);
  useEffect(() => {
    if (!isLost) return;
    let timer: ReturnType<typeof setTimeout>;
    let asked = 0;
    const ask = async () => {
      // Nobody looks: asked as soon as somebody does.
      if (document.visibilityState === 'visible') {
        // Any answer ends this effect, a refusal as well.
        await askOnce();
        if (isLostNow()) setAway(new Date(lastAnswer()));
      }
      if (isLostNow()) next();
    };
    const next = () => {
      // Random, so that pages which lost the service together do not all ask together when it is back.
      const pause = (PAUSES[Math.min(asked++, PAUSES.length - 1)] ?? 0) * (0.8 + Math.random() * 0.4);
      timer = setTimeout(() => void ask(), pause);
    };
    const atOnce = () => {
      clearTimeout(timer);
      void ask();
    };
    next();
    window.addEventListener('online', atOnce);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('online', atOnce);
      setAway(undefined);
      // What failed meanwhile, and what grew old.
      void client.refetchQueries({ type: 'active', stale: true });
    };
  }, [isLost, client]);
  if (!away) return null;
  return (
    <Notice icon={IconPlugConnectedX}>
      <strong>{navigator.onLine ? 'The service cannot be reached.' : 'This computer is offline.'}</strong> Its last
      answer came <Time at={away} />; it is asked again by itself.
    </Notice>
  );
}
