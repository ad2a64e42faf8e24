// The banner over the map while a device is being placed: instructions and the result.
import { Button } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useEscape } from '#/ui/controls/use-key-down.ts';
import type { FleetMapModel } from './use-fleet-map.ts';
import classes from './map-page.module.css';

export function PlacingBanner({ model: { placing, place, map } }: { model: FleetMapModel }) {
  const { waiting, outcome, isSaving, cancel, dismiss } = placing;
  useEscape(cancel);
  return (
    <div className={classes.banner} role="status" hidden={!waiting && !outcome}>
      {outcome && (
        <div className={classes.bannerRow} data-kind={outcome.kind}>
          <span>{outcome.text}</span>
          {outcome.kind !== 'saving' && (
            <button type="button" className="sign" aria-label="Dismiss" onClick={dismiss}>
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
          <Button size="xs" variant="default" onClick={() => map && place(map.getCenter())}>
            Place at the map centre
          </Button>
          <Button size="xs" variant="default" onClick={cancel}>
            Cancel
          </Button>
        </div>
      )}
    </div>
  );
}
