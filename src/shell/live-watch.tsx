// Follows what changes on the service, reads again what failed, and says where a proxy or the service itself withholds
// something from the page: only its operator can mend it.
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { IconAlertTriangle, IconRefreshDot } from '@tabler/icons-react';
import { heldBack, startEvents } from '#/api/events.ts';
import { isLive, live } from '#/api/live.ts';
import { readFailedAgain } from '#/api/read-again.ts';
import { removeFormer } from '#/lib/stored-keys.ts';
import { onUnreadable, unreadableTotal } from '#/contract/unreadable-rows.ts';
import { setCurrent } from '#/ui/page/away.ts';
import { Notice } from './notice.tsx';

export function LiveWatch() {
  const client = useQueryClient();
  useEffect(startEvents, []);
  useEffect(removeFormer, []);
  useEffect(() => readFailedAgain(client), [client]);
  useEffect(() => {
    const tell = () => setCurrent(isLive());
    tell();
    return live.subscribe(tell);
  }, []);
  return (
    <>
      <HeldBack />
      <UnreadableRows />
    </>
  );
}

function HeldBack() {
  const isHeldBack = useSyncExternalStore(heldBack.subscribe, heldBack.get);
  const [isHidden, setHidden] = useState(false);
  if (!isHeldBack || isHidden) return null;
  return (
    <Notice icon={IconRefreshDot} action={{ label: 'Hide', onClick: () => setHidden(true) }}>
      A proxy buffers live updates, so pages refresh every few seconds instead. Its operator can turn off response
      buffering for <code>/v1/events</code>.
    </Notice>
  );
}

/** Lists are not complete. */
function UnreadableRows() {
  const count = useSyncExternalStore(onUnreadable, unreadableTotal);
  const [isHidden, setHidden] = useState(false);
  if (count === 0 || isHidden) return null;
  return (
    <Notice icon={IconAlertTriangle} action={{ label: 'Hide', onClick: () => setHidden(true) }}>
      The service sent rows that cannot be read. Lists are shown without them.
    </Notice>
  );
}
