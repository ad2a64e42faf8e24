// What happens to the map and concerns the page: it was moved, or a device was dropped on it.
import { useEffect, useEffectEvent, useRef, type RefObject } from 'react';
import type L from 'leaflet';
import { useMapEvents } from 'react-leaflet';
import { CLOSEST, boundsOf, boxOf } from './map-fleet.ts';
import type { FleetMapModel } from './use-fleet-map.ts';
import type { ToPlace } from './use-placing.ts';

/** The type of what is dragged from the list to the map. */
export const DRAGGED = 'application/x-muster-device';

const allowDrop = (event: DragEvent) => {
  if (event.dataTransfer?.types.includes(DRAGGED)) event.preventDefault();
};

/** Fits the map to all devices when the last of them is read, unless the person has chosen a view by then. */
function useFitWhenRead(map: L.Map, { fleet, places, shown, state, url }: FleetMapModel, isOwn: RefObject<boolean>) {
  const { isPart } = fleet;
  const began = useRef(isPart);
  const fit = useEffectEvent(() => {
    const box = boxOf(places, shown.placed);
    if (!box || state.isMoved || url.at !== undefined || url.device !== undefined) return;
    isOwn.current = true;
    map.fitBounds(boundsOf(box), { padding: [40, 40], maxZoom: CLOSEST, animate: false });
    isOwn.current = false;
  });
  useEffect(() => {
    if (began.current && !isPart) fit();
  }, [isPart]);
}

/** A section of a page takes no events, so the map's box is asked for what is dropped. */
export function MapEvents({ model }: { model: FleetMapModel }) {
  const { follow, place } = model;
  /** The page moves the map: the view does not go into the URL. */
  const isOwn = useRef(false);
  const map = useMapEvents({ moveend: () => follow(map, !isOwn.current), resize: () => follow(map, false) });
  useFitWhenRead(map, model, isOwn);
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
