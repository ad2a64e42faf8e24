// Puts the markers on the map and turns pointing at them into names, cards and zooms.
import { useEffect, useMemo, useState } from 'react';
import L from 'leaflet';
import { Popup, useMap, useMapEvents } from 'react-leaflet';
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import type { Places } from '#/fleet/columns.ts';
import { formatCount } from '#/lib/format.ts';
import type { Cluster, ClusterIndex } from './cluster-index.ts';
import { DeviceCard, SpotCard } from './device-card.tsx';
import { groupsOf, statesOf } from './draw-marks.ts';
import type { ColorBy } from './draw-marks.ts';
import { boxOf, deviceNameAt } from './map-fleet.ts';
import type { Box } from './map-fleet.ts';
import { COLORS } from './marker-colors.ts';
import { MarkerLayer } from './marker-layer.ts';
import type { Mark } from './marker-layer.ts';
import classes from './map-page.module.css';

interface FleetLayerProps {
  fleet: FleetIndex;
  places: Places;
  clusters: ClusterIndex | undefined;
  /** The groups that have a colour. */
  groups: readonly string[];
  colorBy: ColorBy;
  scheme: 'light' | 'dark';
  selected: ReadonlySet<number>;
  /** Row whose card is open. */
  chosen: number | undefined;
  /** The card takes the focus when it opens. */
  focusCard: boolean;
  onChoose: (row: number | undefined) => void;
  /** Row that the list points at. */
  hovered: number | undefined;
  /** Called with the row of the device that the pointer is over. */
  onPoint: (row: number | undefined) => void;
  /** A click on the map sets a location instead of opening what is there. */
  isPlacing: boolean;
  onPlace: (at: L.LatLng) => void;
  onMove: (row: number) => void;
}

/** Names of one spot that a card lists. */
const MOST_LISTED = 200;

/** Several devices of one building: closer together than zooming in could ever part. */
const isOneSpot = ({ north, south, east, west }: Box) => north - south < 2e-5 && east - west < 2e-5;

export const boundsOf = ({ south, west, north, east }: Box): L.LatLngBounds =>
  L.latLngBounds([south, west], [north, east]);

/** What a mark is, in words. */
function saysOf(fleet: FleetIndex, clusters: ClusterIndex, mark: Mark, groups: readonly string[], by: ColorBy): string {
  const { count, kinds, cluster } = mark;
  const [row] = clusters.members(cluster, 1);
  if (count === 1 && row !== undefined) {
    const { DeviceStatus, DeviceGroup } = fleet.device(row);
    return [deviceNameAt(fleet, row), DeviceStatus, by === 'group' && DeviceGroup].filter(Boolean).join(' · ');
  }
  const parts =
    by === 'state'
      ? [`${formatCount(statesOf(kinds)[0])} Online`]
      : groupsOf(kinds).flatMap((members, group) =>
          members > 0 ? [`${formatCount(members)} ${groups[group] ?? 'others'}`] : [],
        );
  return `${formatCount(count)} devices, ${parts.join(', ')}`;
}

/** A card stays clear of the buttons at the left. */
const CLEAR: [number, number] = [92, 12];

/** The layer of all markers, which draws what the props say. */
function useMarkerLayer(map: L.Map, props: FleetLayerProps): MarkerLayer {
  const { fleet, clusters, colorBy, scheme, selected, chosen, hovered } = props;
  const [layer] = useState(() => new MarkerLayer());
  useEffect(() => {
    layer.addTo(map);
    return () => void layer.remove();
  }, [layer, map]);
  useEffect(() => layer.paint(COLORS[scheme], colorBy), [layer, scheme, colorBy]);
  useEffect(
    () => layer.show(clusters, (row) => (fleet.has(row) ? deviceNameAt(fleet, row) : '')),
    [layer, clusters, fleet],
  );
  useEffect(() => layer.select(selected), [layer, selected]);
  const marked = hovered ?? chosen;
  useEffect(() => layer.highlight(marked), [layer, marked]);
  return layer;
}

/** Leaflet closes a card on Escape only while the map itself has the focus, not the card. */
function useCloseOnEscape(map: L.Map, isCardOpen: boolean): void {
  useEffect(() => {
    if (!isCardOpen) return;
    const leave = (event: KeyboardEvent) => {
      const elsewhere = event.target instanceof Element && event.target.closest('[role=dialog], [role=menu], input');
      if (event.key === 'Escape' && !event.defaultPrevented && !elsewhere) map.closePopup();
    };
    document.addEventListener('keydown', leave);
    return () => document.removeEventListener('keydown', leave);
  }, [map, isCardOpen]);
}

/** Several devices at one location. */
interface Spot {
  at: L.LatLng;
  cluster: Cluster;
  of: ClusterIndex;
}

export function FleetLayer(props: FleetLayerProps) {
  const { fleet, places, clusters, groups, colorBy, chosen, onChoose, hovered, isPlacing } = props;
  const map = useMap();
  const layer = useMarkerLayer(map, props);
  const [hint, setHint] = useState<{ text: string; x: number; y: number }>();
  const [spot, setSpot] = useState<Spot>();
  useCloseOnEscape(map, chosen !== undefined || spot !== undefined);

  const hintOf = (mark: Mark) =>
    clusters && { text: saysOf(fleet, clusters, mark, groups, colorBy), x: mark.x, y: mark.y - mark.radius };
  // What the list points at, with the mouse or by keyboard, is highlighted on the map as well.
  const listed = hovered === undefined || hovered === chosen ? undefined : layer.markOf(hovered);
  const shownHint = listed ? hintOf(listed) : hint;
  useMapEvents({
    mousemove: ({ containerPoint }) => {
      const mark = isPlacing ? undefined : layer.markAt(containerPoint);
      map.getContainer().style.cursor = isPlacing ? 'crosshair' : mark ? 'pointer' : '';
      setHint(mark && hintOf(mark));
      props.onPoint(mark?.count === 1 ? clusters?.members(mark.cluster, 1)[0] : undefined);
    },
    mouseout: () => {
      setHint(undefined);
      props.onPoint(undefined);
    },
    movestart: () => setHint(undefined),
    click: ({ containerPoint, latlng }) => {
      if (isPlacing) return props.onPlace(latlng);
      const mark = layer.markAt(containerPoint);
      if (!mark || !clusters) return;
      const members = clusters.members(mark.cluster);
      const [only] = members;
      if (members.length === 1) return onChoose(only);
      const box = boxOf(places, members);
      if (!box) return;
      if (!isOneSpot(box)) return void map.fitBounds(boundsOf(box), { padding: [60, 60], maxZoom: 18 });
      setSpot({ at: L.latLng(places.lat[only!]!, places.lng[only!]!), cluster: mark.cluster, of: clusters });
    },
  });

  return (
    <>
      {shownHint && <Hint {...shownHint} />}
      {spot && <SpotPopup fleet={fleet} spot={spot} onClose={() => setSpot(undefined)} />}
      {chosen !== undefined && places.kind[chosen] === 1 && (
        <DevicePopup key={fleet.device(chosen).DeviceId} {...props} row={chosen} />
      )}
    </>
  );
}

function SpotPopup({ fleet, spot, onClose }: { fleet: FleetIndex; spot: Spot; onClose: () => void }) {
  const rows = useMemo(() => spot.of.members(spot.cluster, MOST_LISTED), [spot]);
  return (
    <Popup position={spot.at} autoPanPaddingTopLeft={CLEAR} eventHandlers={{ remove: onClose }}>
      <SpotCard fleet={fleet} rows={rows.filter((row) => fleet.has(row))} count={spot.cluster.count} />
    </Popup>
  );
}

function DevicePopup({ fleet, places, row, focusCard, onChoose, onMove }: FleetLayerProps & { row: number }) {
  const [lat, lng] = [places.lat[row], places.lng[row]];
  // The same object while the location is the same: with another one the card would open again, and drop the focus.
  const position = useMemo(() => (lat === undefined || lng === undefined ? undefined : L.latLng(lat, lng)), [lat, lng]);
  if (!position) return null;
  return (
    <Popup position={position} autoPanPaddingTopLeft={CLEAR} eventHandlers={{ remove: () => onChoose(undefined) }}>
      <DeviceCard device={fleet.device(row)} focus={focusCard} onMove={() => onMove(row)} />
    </Popup>
  );
}

/** Name and state of what the pointer is over. */
function Hint({ text, x, y }: { text: string; x: number; y: number }) {
  return (
    <div className={classes.hint} style={{ translate: `calc(${x}px - 50%) calc(${y}px - 100% - 8px)` }} aria-hidden>
      {text}
    </div>
  );
}
