// A small map on which one location is chosen: by a click, by dragging the mark, or with the arrow keys of the map and a
// button. Typing, pasting and the position of this device are the form's around it.
import { useEffect, useState } from 'react';
import { Button } from '@mantine/core';
import L from 'leaflet';
import { Marker, useMap, useMapEvents } from 'react-leaflet';
import type { Position } from '#/contract/devices.ts';
import { rounded } from '#/lib/coordinates.ts';
import { nearestTo } from '#/lib/longitude.ts';
import { MapBox } from './map-box.tsx';
import { useCentreLng } from './use-centre-lng.ts';
import classes from './location-picker.module.css';

interface LocationPickerProps {
  /** Undefined if there is none, or while the typed text is none. */
  at: Position | undefined;
  /** A location found by the reader's device: the map zooms to it, wherever it was. */
  fix?: Position | undefined;
  onPick: (at: Position) => void;
}

const picked = (point: L.LatLng): Position => {
  const { lat, lng } = point.wrap();
  return rounded({ Lat: lat, Lng: lng });
};
const NEAR = 9;
/** A fix is exact to some metres. */
const CLOSE = 10;
const MARK = L.divIcon({ className: classes.mark, iconSize: [22, 22] });

function Mark({ at, fix, onPick }: LocationPickerProps) {
  const map = useMap();
  const centre = useCentreLng();
  useMapEvents({ click: ({ latlng }) => onPick(picked(latlng)) });
  const { Lat, Lng } = at ?? {};
  useEffect(() => {
    if (Lat === undefined || Lng === undefined) return;
    // A typed location is moved into view; a clicked one is there already.
    const near = L.latLng(Lat, nearestTo(map.getCenter().lng, Lng));
    if (!map.getBounds().contains(near)) map.setView(near, Math.max(map.getZoom(), NEAR), { animate: false });
  }, [map, Lat, Lng]);
  useEffect(() => {
    if (fix) map.setView([fix.Lat, fix.Lng], CLOSE, { animate: false });
  }, [map, fix]);
  return (
    at && (
      <Marker
        position={[at.Lat, nearestTo(centre, at.Lng)]}
        icon={MARK}
        draggable
        keyboard={false}
        eventHandlers={{ dragend: ({ target }) => onPick(picked((target as L.Marker).getLatLng())) }}
      />
    )
  );
}

export function LocationPicker({ at, fix, onPick }: LocationPickerProps) {
  const [map, setMap] = useState<L.Map | null>(null);
  const [start] = useState(() =>
    at
      ? { center: [at.Lat, at.Lng] as [number, number], zoom: NEAR }
      : { center: [25, 10] as [number, number], zoom: 1 },
  );
  return (
    <div className={classes.picker}>
      <section className={classes.map} aria-label="Map to pick the location on">
        <MapBox ref={setMap} {...start} minZoom={1} className={classes.canvas}>
          <Mark at={at} fix={fix} onPick={onPick} />
        </MapBox>
      </section>
      <div className="between small">
        <span className="dim">Click the map or drag the marker.</span>
        <Button size="xs" onClick={() => map && onPick(picked(map.getCenter()))}>
          Use the map centre
        </Button>
      </div>
    </div>
  );
}
