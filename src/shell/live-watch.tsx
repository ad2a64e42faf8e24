// Follows live updates and retries failed reads. Shows what only an operator can fix: a full disk, a proxy that buffers live
// updates, rows that cannot be read.
import { useEffect, useState, useSyncExternalStore, type ReactNode } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { IconAlertTriangle, IconDatabaseExclamation, IconRefreshDot, type TablerIcon } from '@tabler/icons-react';
import { accountQueries } from '#/api/account.ts';
import { heldBack, startEvents } from '#/api/events.ts';
import { isLive, live } from '#/api/live.ts';
import { readFailedAgain } from '#/api/read-again.ts';
import { removeFormer } from '#/lib/stored-keys.ts';
import { onUnreadable, unreadableTotal } from '#/contract/unreadable-rows.ts';
import { paths } from '#/paths.ts';
import { setCurrent } from '#/ui/page/away.ts';
import { Link } from '#/ui/url/link.tsx';
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
      <DiskState />
      <HeldBack />
      <UnreadableRows />
    </>
  );
}

function DiskState() {
  const state = useQuery(accountQueries.get()).data?.DiskState;
  if (state !== 'Full' && state !== 'ReadOnly') return null;
  return (
    // Shown again if the state changes after the notice was hidden.
    <HideableNotice key={state} icon={IconDatabaseExclamation}>
      {state === 'Full' ? (
        <>
          <strong>The service’s disk is full.</strong> You can read everything. Delete{' '}
          <Link to={paths.jobs()}>jobs</Link> or <Link to={paths.artifacts()}>artifacts</Link> to make room.
        </>
      ) : (
        <>
          <strong>The service cannot write to its disk.</strong> You can read everything but change nothing until its
          operator fixes that.
        </>
      )}
    </HideableNotice>
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
