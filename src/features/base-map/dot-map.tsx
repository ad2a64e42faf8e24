// A small map of some devices as dots. The text beside it says the same.
import { useEffect, useMemo, type ReactNode } from 'react';
import { useComputedColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import L from 'leaflet';
import { ZoomControl, useMap } from 'react-leaflet';
import { deviceQueries } from '#/api/devices.ts';
import { devicesText, formatCount } from '#/lib/format.ts';
import { NoDataYet } from '#/ui/page/view.tsx';
import { boundsOf, boxOf, nearestTo } from '#/lib/longitude.ts';
import { MapBox } from './map-box.tsx';
import { useCentreLng } from './use-centre-lng.ts';
import classes from './dot-map.module.css';

export interface DotLook {
  /** A colour of tokens.css, such as `--ok`. */
  color: string;
  /** Otherwise a ring. */
  isFilled: boolean;
}

interface Dot {
  id: string;
  at: [number, number];
  look: DotLook;
}

interface DotsProps {
  dots: Dot[];
  scheme: 'light' | 'dark';
  onPick: ((id: string) => void) | undefined;
}

/** One canvas for all of them, each on the copy of the world that is in view. */
function Dots({ dots, scheme, onPick }: DotsProps): null {
  const map = useMap();
  // Before the map moves to the dots, so that it notices.
  const centre = useCentreLng();
  const box = useMemo(
    () => boxOf({ lat: dots.map(({ at }) => at[0]), lng: dots.map(({ at }) => at[1]) }, [...dots.keys()]),
    [dots],
  );
  const area = box && JSON.stringify(boundsOf(box));
  useEffect(() => {
    if (area)
      map.fitBounds(JSON.parse(area) as L.LatLngBoundsLiteral, { padding: [24, 24], maxZoom: 11, animate: false });
  }, [map, area]);
  useEffect(() => {
    const renderer = L.canvas({ padding: 0.3 });
    // The page's colours in this scheme.
    const page = getComputedStyle(document.documentElement);
    const layer = L.layerGroup(
      dots.map(({ id, at: [lat, lng], look: { color, isFilled } }) => {
        const dot = L.circleMarker([lat, nearestTo(centre, lng)], {
          renderer,
          interactive: onPick !== undefined,
          radius: 4.5,
          weight: 2,
          color: page.getPropertyValue(color).trim(),
          fillOpacity: isFilled ? 0.9 : 0,
        });
        return onPick ? dot.on('click', () => onPick(id)) : dot;
      }),
    ).addTo(map);
    return () => void layer.remove();
  }, [map, dots, scheme, onPick, centre]);
  return null;
}

interface DotMapProps {
  name: string;
  /** How the device with each of these ids looks; the last ones are drawn on top. */
  looks: ReadonlyMap<string, DotLook>;
  /** What the looks mean. */
  legend: ReactNode;
  onPick?: (id: string) => void;
}

export function DotMap({ name, looks, legend, onPick }: DotMapProps) {
  const scheme = useComputedColorScheme('light');
  const locations = useQuery(deviceQueries.locations());
  const dots = useMemo(() => {
    const places = new Map(locations.data?.map(({ DeviceId, Lat, Lng }) => [DeviceId, [Lat, Lng] as [number, number]]));
    return Array.from(looks).flatMap(([id, look]): Dot[] => {
      const at = places.get(id);
      // 0,0 was never set; beyond the world is no location.
      const isLocation = at && (at[0] !== 0 || at[1] !== 0) && Math.abs(at[0]) <= 90 && Math.abs(at[1]) <= 180;
      return isLocation ? [{ id, at, look }] : [];
    });
  }, [looks, locations.data]);
  if (!locations.data) return <NoDataYet query={locations} name="the locations" rows={4} />;
  const unplaced = looks.size - dots.length;
  if (dots.length === 0) return <p className="dim">None of these devices has a location.</p>;
  return (
    <div className={classes.frame}>
      <section className={classes.map} aria-label={name}>
        <MapBox center={[25, 10]} zoom={1} minZoom={1} zoomControl={false} scrollWheelZoom={false}>
          <ZoomControl position="topright" />
          <Dots dots={dots} scheme={scheme} onPick={onPick} />
        </MapBox>
      </section>
      <div className={classes.below}>
        {legend}
        <span>
          {formatCount(dots.length)} on the map.
          {unplaced > 0 && ` ${devicesText(unplaced)} ${unplaced === 1 ? 'has' : 'have'} no location.`}
        </span>
      </div>
    </div>
  );
}
