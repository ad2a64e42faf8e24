// Follows what changes on the service, and says where a proxy prevents that: only its operator can mend it.
import { useEffect, useState, useSyncExternalStore } from 'react';
import { IconRefreshDot } from '@tabler/icons-react';
import { heldBack, startEvents } from '#/api/events.ts';
import { isLive, live } from '#/api/live.ts';
import { setCurrent } from '#/ui/page/away.ts';
import { Notice } from './notice.tsx';

export function LiveWatch() {
  const isHeldBack = useSyncExternalStore(heldBack.subscribe, heldBack.get);
  const [isHidden, setHidden] = useState(false);
  useEffect(startEvents, []);
  useEffect(() => {
    const tell = () => setCurrent(isLive());
    tell();
    return live.subscribe(tell);
  }, []);
  if (!isHeldBack || isHidden) return null;
  return (
    <Notice icon={IconRefreshDot} action={{ label: 'Hide', onClick: () => setHidden(true) }}>
      A proxy buffers live updates, so pages refresh every few seconds instead. Its operator can turn off response
      buffering for <code>/v1/events</code>.
    </Notice>
  );
}
