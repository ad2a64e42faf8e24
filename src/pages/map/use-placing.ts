// Places or moves a device: the chosen device waits for a click on the map, then the result is shown, and a notice offers
// to undo it.
import { useState } from 'react';
import { rounded } from '#/lib/coordinates.ts';
import { ApiError } from '#/api/api-error.ts';
import { deviceMutations } from '#/api/devices.ts';
import { queryClient } from '#/api/query-client.ts';
import { NO_POSITION, offerMoveUndo } from '#/features/undo/undo-device.ts';
import type { Position } from '#/contract/devices.ts';

export interface ToPlace {
  id: string;
  name: string;
  /** Its current location. Undefined without one that a device can have. */
  old: Position | undefined;
}

interface PlacingOutcome {
  kind: 'saving' | 'failed';
  text: string;
}

export function usePlacing() {
  const [waiting, setWaiting] = useState<ToPlace>();
  const [outcome, setOutcome] = useState<PlacingOutcome>();
  const isSaving = outcome?.kind === 'saving';

  const save = async (device: ToPlace, to: Position) => {
    setOutcome({ kind: 'saving', text: `Saving the location of ${device.name} …` });
    try {
      await queryClient.getMutationCache().build(queryClient, deviceMutations.locate(device.id)).execute(to);
    } catch (error) {
      const what = error instanceof ApiError ? [error.message, error.detail].filter(Boolean).join('. ') : String(error);
      setOutcome({ kind: 'failed', text: `${device.name} was not ${device.old ? 'moved' : 'placed'}: ${what}` });
      return;
    }
    setWaiting((now) => (now?.id === device.id ? undefined : now));
    setOutcome(undefined);
    offerMoveUndo({
      ...device,
      from: device.old ?? NO_POSITION,
      to,
      plainly: `Location of ${device.name} saved`,
    });
  };

  return {
    waiting,
    outcome,
    isSaving,
    /** The next click on the map is for this device. */
    start: (device: ToPlace) => {
      setOutcome(undefined);
      setWaiting(device);
    },
    cancel: () => setWaiting(undefined),
    dismiss: () => setOutcome(undefined),
    /** Places the waiting device, or one that was dropped on the map. */
    place: (lat: number, lng: number, device: ToPlace | undefined = waiting) => {
      if (device && !isSaving) void save(device, rounded({ Lat: lat, Lng: lng }));
    },
  };
}
