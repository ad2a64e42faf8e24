// What happens to the map and concerns the page: it was moved, or a device was dropped on it.
import { useEffect, useRef } from 'react';
import type L from 'leaflet';
import { useMap, useMapEvents } from 'react-leaflet';
import type { ToPlace } from './use-placing.ts';

/** The type of what is dragged from the list to the map. */
export const DRAGGED = 'application/x-muster-device';

/** Reports what part of the world the map shows, at the start and after each move. */
export function FollowView({ onView }: { onView: (map: L.Map, isMove: boolean) => void }) {
  const map = useMapEvents({ moveend: () => onView(map, true), resize: () => onView(map, false) });
  const latest = useRef(onView);
  useEffect(() => {
    latest.current = onView;
  });
  useEffect(() => {
    latest.current(map, false);
    // Leaflet only notices the window's size; a bar that opens below makes the map smaller too. What is in view stays.
    const box = map.getContainer();
    const observer = new ResizeObserver(() => {
      // Without any size it is hidden behind the list of a phone, and later shows the same as before.
      if (box.clientWidth > 0) map.invalidateSize({ pan: false });
    });
    observer.observe(box);
    return () => observer.disconnect();
  }, [map]);
  return null;
}

/** Devices of the list can be dropped on the map; a section of a page takes no events, so its box is asked for them. */
export function DropTarget({ onDrop }: { onDrop: (at: L.LatLng, device: ToPlace) => void }) {
  const map = useMap();
  const latest = useRef(onDrop);
  useEffect(() => {
    latest.current = onDrop;
  });
  useEffect(() => {
    const box = map.getContainer();
    const over = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes(DRAGGED)) event.preventDefault();
    };
    const drop = (event: DragEvent) => {
      const dragged = event.dataTransfer?.getData(DRAGGED);
      if (!dragged) return;
      event.preventDefault();
      latest.current(map.mouseEventToLatLng(event).wrap(), JSON.parse(dragged) as ToPlace);
    };
    box.addEventListener('dragover', over);
    box.addEventListener('drop', drop);
    return () => {
      box.removeEventListener('dragover', over);
      box.removeEventListener('drop', drop);
    };
  }, [map]);
  return null;
}
