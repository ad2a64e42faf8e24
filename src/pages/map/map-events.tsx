// What happens to the map and concerns the page: it was moved, or a device was dropped on it.
import { useEffect, useEffectEvent } from 'react';
import { useMapEvents } from 'react-leaflet';
import type { FleetMapModel } from './use-fleet-map.ts';
import type { ToPlace } from './use-placing.ts';

/** The type of what is dragged from the list to the map. */
export const DRAGGED = 'application/x-muster-device';

const allowDrop = (event: DragEvent) => {
  if (event.dataTransfer?.types.includes(DRAGGED)) event.preventDefault();
};

/** A section of a page takes no events, so the map's box is asked for what is dropped. */
export function MapEvents({ model: { follow, place } }: { model: FleetMapModel }) {
  const map = useMapEvents({ moveend: () => follow(map, true), resize: () => follow(map, false) });
  const begin = useEffectEvent(() => follow(map, false));
  const drop = useEffectEvent((event: DragEvent) => {
    const dragged = event.dataTransfer?.getData(DRAGGED);
    if (!dragged) return;
    event.preventDefault();
    place(map.mouseEventToLatLng(event), JSON.parse(dragged) as ToPlace);
  });
  useEffect(() => {
    begin();
    const box = map.getContainer();
    // Leaflet only notices the window's size; a bar that opens below makes the map smaller too. What is in view stays.
    const observer = new ResizeObserver(() => {
      // Without any size it is hidden behind the list of a phone, and later shows the same as before.
      if (box.clientWidth > 0) map.invalidateSize({ pan: false });
    });
    observer.observe(box);
    const onDrop = (event: DragEvent) => drop(event);
    box.addEventListener('dragover', allowDrop);
    box.addEventListener('drop', onDrop);
    return () => {
      observer.disconnect();
      box.removeEventListener('dragover', allowDrop);
      box.removeEventListener('drop', onDrop);
    };
  }, [map]);
  return null;
}
