// Puts the markers on the map and turns pointing at them into names, cards and zooms.
import { useEffect, useMemo, useState } from 'react';
import L from 'leaflet';
import { Popup, useMap, useMapEvents } from 'react-leaflet';
import { formatCount } from '#/ui/format.ts';
import { buildClusterIndex } from './cluster-index.ts';
import { DeviceCard, SpotCard } from './device-card.tsx';
import { MarkerLayer } from './marker-layer.ts';
import type { Mark } from './marker-layer.ts';
import type { MapDevice } from './placed-devices.ts';
import classes from './map-page.module.css';

interface FleetLayerProps {
  devices: MapDevice[];
  scheme: 'light' | 'dark';
  /** Device whose card is open. */
  chosen: MapDevice | undefined;
  onChoose: (deviceId: string | undefined) => void;
  /** Device that the list points at. */
  hovered: string | undefined;
}

const COLORS = {
  light: {
    online: '#0b6b7c',
    offline: '#b3470b',
    other: '#566273',
    halo: '#ffffff',
    ink: '#1c2430',
    chosen: '#3b5bdb',
  },
  dark: { online: '#4fd1e3', offline: '#ffa94d', other: '#a0adba', halo: '#151b22', ink: '#e3e8ee', chosen: '#91a7ff' },
};

/** Several devices of one building: closer together than zooming in could ever part. */
const isOneSpot = ({ members }: Mark) => {
  const bounds = boundsOf(members);
  return bounds.getNorth() - bounds.getSouth() < 2e-5 && bounds.getEast() - bounds.getWest() < 2e-5;
};

export const boundsOf = (devices: MapDevice[]): L.LatLngBounds =>
  L.latLngBounds(devices.map(({ lat, lng }) => [lat, lng]));

const saysOf = ({ members, online }: Mark): string => {
  const [only] = members;
  return members.length === 1 && only
    ? `${only.device.DeviceName || only.device.DeviceId} · ${only.device.DeviceStatus}`
    : `${formatCount(members.length)} devices, ${formatCount(online)} Online`;
};

export function FleetLayer({ devices, scheme, chosen, onChoose, hovered }: FleetLayerProps) {
  const map = useMap();
  const [layer] = useState(() => new MarkerLayer());
  const [hint, setHint] = useState<{ text: string; x: number; y: number }>();
  const [spot, setSpot] = useState<Mark>();
  const index = useMemo(
    () =>
      buildClusterIndex({
        lat: devices.map(({ lat }) => lat),
        lng: devices.map(({ lng }) => lng),
        online: devices.map(({ device }) => device.DeviceStatus === 'Online'),
      }),
    [devices],
  );

  useEffect(() => {
    layer.addTo(map);
    return () => void layer.remove();
  }, [layer, map]);
  useEffect(() => layer.show(devices, index), [layer, devices, index]);
  useEffect(() => layer.paint(COLORS[scheme]), [layer, scheme]);
  const marked = hovered ?? chosen?.device.DeviceId;
  useEffect(() => layer.highlight(marked), [layer, marked]);

  useMapEvents({
    mousemove: ({ containerPoint }) => {
      const mark = layer.markAt(containerPoint);
      map.getContainer().style.cursor = mark ? 'pointer' : '';
      setHint(mark && { text: saysOf(mark), x: mark.x, y: mark.y - mark.radius });
    },
    mouseout: () => setHint(undefined),
    movestart: () => setHint(undefined),
    click: ({ containerPoint }) => {
      const mark = layer.markAt(containerPoint);
      const [only] = mark?.members ?? [];
      if (!mark || !only) return;
      if (mark.members.length === 1) return onChoose(only.device.DeviceId);
      if (isOneSpot(mark)) return setSpot(mark);
      map.fitBounds(boundsOf(mark.members), { padding: [60, 60], maxZoom: 18 });
    },
  });

  return (
    <>
      {hint && <Hint {...hint} />}
      {spot && (
        <Popup position={spot.at} eventHandlers={{ remove: () => setSpot(undefined) }}>
          <SpotCard devices={spot.members} />
        </Popup>
      )}
      {chosen?.placement === 'placed' && (
        <Popup
          key={chosen.device.DeviceId}
          position={[chosen.lat, chosen.lng]}
          eventHandlers={{ remove: () => onChoose(undefined) }}
        >
          <DeviceCard device={chosen.device} />
        </Popup>
      )}
    </>
  );
}

/** Name and state of what the pointer is over. */
function Hint({ text, x, y }: { text: string; x: number; y: number }) {
  return (
    <div className={classes['hint']} style={{ translate: `calc(${x}px - 50%) calc(${y}px - 100% - 8px)` }} aria-hidden>
      {text}
    </div>
  );
}
