// Follows what changes on the service, and says where a proxy prevents that: only its operator can mend it.
import { useEffect, useState, useSyncExternalStore } from 'react';
import { IconRefreshDot } from '@tabler/icons-react';
import { heldBack, startEvents } from '#/api/events.ts';
import { isLive, live } from '#/api/live.ts';
import { setCurrent } from '#/ui/page/away.ts';
import classes from './shell.module.css';

export function LiveWatch() {
  const isHeldBack = useSyncExternalStore(heldBack.subscribe, heldBack.get);
  const [isHidden, setHidden] = useState(false);
  useEffect(startEvents, []);
  useEffect(() => {
    const tell = () => setCurrent(isLive());
    tell();
    return live.subscribe(tell);
  }, []);
  const shown = isHeldBack && !isHidden;
  return (
    <div role="status" className={classes.away} data-shown={shown}>
      {shown && (
        <>
          <IconRefreshDot size={18} stroke={1.6} aria-hidden />
          <span>
            A proxy buffers live updates, so pages refresh every few seconds instead. Its operator can turn off response
            buffering for <code>/v1/events</code>.
          </span>
          <button type="button" onClick={() => setHidden(true)}>
            Hide
          </button>
        </>
      )}
    </div>
  );
}
