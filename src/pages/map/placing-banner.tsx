// Over the map while a device waits for its location, and after: what to do, what happened, and the way back.
import { useEffect } from 'react';
import { Button } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import type { Placing } from './use-placing.ts';
import classes from './map-page.module.css';

export function PlacingBanner({ placing, onCentre }: { placing: Placing; onCentre: () => void }) {
  const { waiting, outcome, isSaving, cancel, dismiss } = placing;
  useEffect(() => {
    if (!waiting) return;
    const leave = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented) cancel();
    };
    document.addEventListener('keydown', leave);
    return () => document.removeEventListener('keydown', leave);
  }, [waiting, cancel]);
  return (
    <div className={classes.banner} role="status" hidden={!waiting && !outcome}>
      {outcome && (
        <div className={classes.bannerRow} data-kind={outcome.kind}>
          <span>{outcome.text}</span>
          {outcome.undo && (
            <Button size="xs" variant="default" onClick={outcome.undo}>
              Undo
            </Button>
          )}
          {outcome.kind !== 'saving' && (
            <button type="button" className={classes.close} aria-label="Dismiss" onClick={dismiss}>
              <IconX size={16} stroke={1.6} aria-hidden />
            </button>
          )}
        </div>
      )}
      {waiting && !isSaving && (
        <div className={classes.bannerRow}>
          <span>
            Click the map where <strong>{waiting.name}</strong> is.
          </span>
          <Button size="xs" variant="default" onClick={onCentre}>
            Place at the map’s centre
          </Button>
          <Button size="xs" variant="default" onClick={cancel}>
            Cancel
          </Button>
        </div>
      )}
    </div>
  );
}
