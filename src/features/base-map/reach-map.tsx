// A small map of some devices, to see at a glance where something is going to happen. The list beside it shows the same.
import { useEffect, useMemo } from 'react';
import { useComputedColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import L from 'leaflet';
import { ZoomControl, useMap } from 'react-leaflet';
import type { Device } from '#/contract/devices.ts';
import { deviceQueries } from '#/api/devices.ts';
import { devicesText, formatCount } from '#/lib/format.ts';
import { NoDataYet } from '#/ui/page/view.tsx';
import { MapBox } from './map-box.tsx';
import classes from './reach-map.module.css';

interface Dot {
  at: [number, number];
  online: boolean;
}

const COLORS = { light: ['#0b6b7c', '#b3470b'], dark: ['#4fd1e3', '#ffa94d'] } as const;

/** One canvas for all of them: filled where Online, a ring where not. */
function Dots({ dots, scheme }: { dots: Dot[]; scheme: 'light' | 'dark' }): null {
  const map = useMap();
  useEffect(() => {
    const renderer = L.canvas({ padding: 0.3 });
    const [on, off] = COLORS[scheme];
    const layer = L.layerGroup(
      dots.map(({ at, online }) =>
        L.circleMarker(at, {
          renderer,
          interactive: false,
          radius: 4.5,
          weight: 2,
          color: online ? on : off,
          fillOpacity: online ? 0.9 : 0,
        }),
      ),
    ).addTo(map);
    return () => void layer.remove();
  }, [map, dots, scheme]);
  useEffect(() => {
    if (dots.length > 0)
      map.fitBounds(L.latLngBounds(dots.map(({ at }) => at)), { padding: [24, 24], maxZoom: 11, animate: false });
  }, [map, dots]);
  return null;
}

export function ReachMap({ devices }: { devices: readonly Device[] }) {
  const scheme = useComputedColorScheme('light');
  const locations = useQuery(deviceQueries.locations());
  const dots = useMemo(() => {
    const online = new Map(devices.map(({ DeviceId, DeviceStatus }) => [DeviceId, DeviceStatus === 'Online']));
    const found = (locations.data ?? []).flatMap(({ DeviceId, Lat, Lng }): Dot[] => {
      const isOnline = online.get(DeviceId);
      // 0,0 was never set; beyond the world is no location.
      const isLocation = (Lat !== 0 || Lng !== 0) && Math.abs(Lat) <= 90 && Math.abs(Lng) <= 180;
      return isOnline === undefined || !isLocation ? [] : [{ at: [Lat, Lng], online: isOnline }];
    });
    // Who will wait is drawn on top.
    return found.sort((one, two) => Number(two.online) - Number(one.online));
  }, [devices, locations.data]);
  if (!locations.data) return <NoDataYet query={locations} name="the locations" rows={4} />;
  const unplaced = devices.length - dots.length;
  if (dots.length === 0) return <p className="dim">None of them has a location.</p>;
  return (
    <div className={classes.frame}>
      <section className={classes.map} aria-label="Map of the target devices">
        <MapBox center={[25, 10]} zoom={1} minZoom={1} zoomControl={false} scrollWheelZoom={false}>
          <ZoomControl position="topright" />
          <Dots dots={dots} scheme={scheme} />
        </MapBox>
      </section>
      <p className="dim">
        {formatCount(dots.length)} on the map, filled where Online.
        {unplaced > 0 && ` ${devicesText(unplaced)} ${unplaced === 1 ? 'has' : 'have'} no location.`}
      </p>
    </div>
  );
}
