// Events of the map that the page handles: moves, and devices dropped on it.
import { useEffect, useEffectEvent, useRef, type RefObject } from 'react';
import type L from 'leaflet';
import { useMapEvents } from 'react-leaflet';
import { boundsOf, boxOf } from '#/lib/longitude.ts';
import { CLOSEST } from './map-fleet.ts';
import type { FleetMapModel } from './use-fleet-map.ts';
import type { ToPlace } from './use-placing.ts';

/** The data type of a device that is dragged from the list. */
export const DRAGGED = 'application/x-muster-device';

const allowDrop = (event: DragEvent) => {
  if (event.dataTransfer?.types.includes(DRAGGED)) event.preventDefault();
};

/** Fits the map to all devices once the last one has been read, unless the user has chosen a view by then; returns how. */
function useFitWhenRead(map: L.Map, { fleet, places, shown, state, url }: FleetMapModel, isOwn: RefObject<boolean>) {
  const { isPart } = fleet;
  const began = useRef(isPart);
  const fit = () => {
    const box = boxOf(places, shown.placed);
    if (!box || state.isMoved || url.at !== undefined || url.device !== undefined) return;
    isOwn.current = true;
    map.fitBounds(boundsOf(box), { padding: [40, 40], maxZoom: CLOSEST, animate: false });
    isOwn.current = false;
  };
  const fitFirst = useEffectEvent(fit);
  useEffect(() => {
    if (began.current && !isPart) fitFirst();
  }, [isPart]);
  return fit;
}

export function MapEvents({ model }: { model: FleetMapModel }) {
  const { follow, place } = model;
  /** The page itself is moving the map, so the view does not go into the URL. */
  const isOwn = useRef(false);
  const map = useMapEvents({ moveend: () => follow(map, !isOwn.current), resize: () => follow(map, false) });
  const fit = useFitWhenRead(map, model, isOwn);
  const resize = useEffectEvent(() => {
    isOwn.current = true;
    map.invalidateSize({ pan: false });
    isOwn.current = false;
    // The bar of the replay takes a fifth of the map, which would cut off the devices at its edges.
    if (model.url.replay) fit();
  });
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
    // Leaflet only notices a new window size, but a bar that opens below makes the map smaller too.
    const observer = new ResizeObserver(() => {
      // Without a size it is hidden behind the list, on a phone.
      if (box.clientWidth > 0) resize();
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
