// Follows live updates, retries failed reads, and shows a notice if a proxy buffers live updates or the service sends rows
// that cannot be read: only an operator can fix either.
import { useEffect, useState, useSyncExternalStore, type ReactNode } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { IconAlertTriangle, IconRefreshDot, type TablerIcon } from '@tabler/icons-react';
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
    const update = () => setCurrent(isLive());
    update();
    return live.subscribe(update);
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
  return (
    isHeldBack && (
      <HideableNotice icon={IconRefreshDot}>
        A proxy buffers live updates, so pages refresh every few seconds instead. Its operator can turn off response
        buffering for <code>/v1/events</code>.
      </HideableNotice>
    )
  );
}

function UnreadableRows() {
  const count = useSyncExternalStore(onUnreadable, unreadableTotal);
  return (
    count > 0 && (
      <HideableNotice icon={IconAlertTriangle}>
        The service sent rows that cannot be read. Lists are shown without them.
      </HideableNotice>
    )
  );
}

function HideableNotice({ icon, children }: { icon: TablerIcon; children: ReactNode }) {
  const [isHidden, setHidden] = useState(false);
  if (isHidden) return null;
  return (
    <Notice icon={icon} action={{ label: 'Hide', onClick: () => setHidden(true) }}>
      {children}
    </Notice>
  );
}
