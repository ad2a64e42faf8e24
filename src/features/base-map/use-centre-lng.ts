// Where a map is: marks go to the copy of the world that it shows.
import { useState } from 'react';
import { useMap, useMapEvents } from 'react-leaflet';

/** A quarter of the world: what draws marks does so again only after moves that can bring another copy into view. */
const QUARTER = 90;

/** The longitude of the map's centre, roughly, and beyond 180 on another copy of the world. */
export function useCentreLng(): number {
  const map = useMap();
  const now = () => Math.round(map.getCenter().lng / QUARTER) * QUARTER;
  const [lng, setLng] = useState(now);
  useMapEvents({ moveend: () => setLng(now()) });
  return lng;
}
