// A small map on which one place is chosen: by a click, by dragging the mark, or with the arrow keys of the map and a
// button. Typing, pasting and the position of this device are the form's around it.
import 'leaflet/dist/leaflet.css';
import { useEffect, useState } from 'react';
import { Button, useComputedColorScheme } from '@mantine/core';
import L from 'leaflet';
import { AttributionControl, MapContainer, Marker, useMap, useMapEvents } from 'react-leaflet';
import { rounded } from '#/lib/coordinates.ts';
import { BaseMapLayer } from './base-map-layer.tsx';
import controls from './map-controls.module.css';
import classes from './place-picker.module.css';

/** In degrees. */
export interface PickedPlace {
  Lat: number;
  Lng: number;
}

interface PlacePickerProps {
  /** Undefined while there is none, or while what is typed is none. */
  place: PickedPlace | undefined;
  onPick: (place: PickedPlace) => void;
}

const picked = (at: L.LatLng): PickedPlace => {
  const { lat, lng } = at.wrap();
  return rounded({ Lat: lat, Lng: lng });
};
const NEAR = 9;
const MARK = L.divIcon({ className: classes.mark, iconSize: [22, 22] });

function Clicks({ place, onPick }: PlacePickerProps) {
  const map = useMap();
  useMapEvents({ click: ({ latlng }) => onPick(picked(latlng)) });
  const { Lat, Lng } = place ?? {};
  useEffect(() => {
    // What was typed or found elsewhere comes into view; what was clicked is in view already.
    if (Lat !== undefined && Lng !== undefined && !map.getBounds().contains([Lat, Lng]))
      map.setView([Lat, Lng], Math.max(map.getZoom(), NEAR), { animate: false });
  }, [map, Lat, Lng]);
  return null;
}

export function PlacePicker({ place, onPick }: PlacePickerProps) {
  const scheme = useComputedColorScheme('light');
  const [map, setMap] = useState<L.Map | null>(null);
  const [start] = useState(() =>
    place
      ? { center: [place.Lat, place.Lng] as [number, number], zoom: NEAR }
      : { center: [25, 10] as [number, number], zoom: 1 },
  );
  return (
    <div className={classes.picker}>
      <section className={classes.map} aria-label="Map to pick the location on">
        <MapContainer
          ref={setMap}
          {...start}
          minZoom={1}
          maxZoom={18}
          attributionControl={false}
          worldCopyJump
          className={`${controls.controls} ${classes.canvas}`}
        >
          <BaseMapLayer scheme={scheme} />
          <AttributionControl prefix={false} />
          {place && (
            <Marker
              position={[place.Lat, place.Lng]}
              icon={MARK}
              draggable
              keyboard={false}
              eventHandlers={{ dragend: ({ target }) => onPick(picked((target as L.Marker).getLatLng())) }}
            />
          )}
          <Clicks place={place} onPick={onPick} />
        </MapContainer>
      </section>
      <div className="between small">
        <span className="dim">Click the map, or drag the mark.</span>
        <Button size="xs" variant="default" onClick={() => map && onPick(picked(map.getCenter()))}>
          Take the map’s centre
        </Button>
      </div>
    </div>
  );
}
