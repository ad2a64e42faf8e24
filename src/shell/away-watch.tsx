// Probes a service that does not answer (api/reach.ts) and says so, with the one sentence about how old everything on the
// page is. It is not loaded late: by then there would be no service to load it from.
import { useEffect, useSyncExternalStore } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { IconAlertTriangle } from '@tabler/icons-react';
import { send } from '#/api/call.ts';
import { lastResponseTime, onReach, probeNow, reachNow, watchReach } from '#/api/reach.ts';
import { setAway, useAway } from '#/ui/page/away.ts';
import { DataFrom } from '#/ui/page/data-from.tsx';
import { Notice } from './notice.tsx';

/** Milliseconds after which a probe has failed. */
const TIMEOUT = 8_000;

const probe = () => send('GET', '/v1/account', undefined, { timeout: TIMEOUT, isProbe: true });

export function AwayWatch() {
  const client = useQueryClient();
  const isAway = useSyncExternalStore(onReach, reachNow) === 'away';
  const since = useAway();
  useEffect(() => watchReach(probe), []);
  useEffect(() => {
    if (!isAway) return;
    setAway({ since: lastResponseTime(), tryNow: () => void probeNow() });
    return () => {
      setAway(undefined);
      // Reads what failed or became stale meanwhile.
      void client.refetchQueries({
        type: 'active',
        predicate: (query) => query.isStale() || query.state.error !== null,
      });
    };
  }, [isAway, client]);
  if (!since) return null;
  return (
    <Notice icon={IconAlertTriangle} action={{ label: 'Try now', onClick: since.tryNow }}>
      <strong>{navigator.onLine ? 'The service cannot be reached.' : 'This computer is offline.'}</strong>{' '}
      <DataFrom at={since.since} />
    </Notice>
  );
}
