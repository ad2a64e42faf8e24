// Puts the markers on the map and turns pointing at them into names, cards and zooms.
import { useEffect, useMemo, useState } from 'react';
import L from 'leaflet';
import { Popup, useMap, useMapEvents } from 'react-leaflet';
import type { Scheme } from '#/features/base-map/map-colors.ts';
import { devicesText, formatCount } from '#/lib/format.ts';
import { boundsOf, boxNear, boxOf, nearestTo, type Box } from '#/lib/longitude.ts';
import { stateLabel } from '#/ui/controls/state-words.ts';
import { useEscape } from '#/ui/controls/use-key-down.ts';
import type { Cluster, ClusterIndex } from './cluster-index.ts';
import { DeviceCard, SpotCard } from './device-card.tsx';
import { NONE } from './colouring.ts';
import { numbersOf, statesOf } from './draw-marks.ts';
import { deviceNameAt, numberOfKind } from './map-fleet.ts';
import { COLORS } from './marker-colors.ts';
import { MarkerLayer, type Mark } from './marker-layer.ts';
import { useDeviceThen } from './shown-past.ts';
import type { FleetMapModel } from './use-fleet-map.ts';
import classes from './map-page.module.css';

interface FleetLayerProps {
  model: FleetMapModel;
  scheme: Scheme;
}

/** Names of one spot that a card lists. */
const MOST_LISTED = 200;

/** Devices at one spot, such as a building: too close together to be separated by zooming in. */
const isOneSpot = ({ north, south, east, west }: Box) => north - south < 2e-5 && east - west < 2e-5;

const isOtherState = (state: string) => !['', 'Online', 'Offline', 'NotConnected'].includes(state);

/** The name of a group's or version's number. */
const nameOf = (names: readonly string[], number: number): string =>
  names[number] ?? (number === NONE ? 'without it' : 'others');

/** In a replay all that are neither online nor offline are unknown, at present nearly always not connected yet. */
function stateParts(kinds: Uint32Array, isPast: boolean, hasOthers: boolean): string[] {
  const [online, , other] = statesOf(kinds);
  if (isPast && other > 0) return [`${formatCount(other)} unknown`];
  const rest = other > 0 ? [`${formatCount(other)} ${hasOthers ? 'in other states' : 'not connected yet'}`] : [];
  return [`${formatCount(online)} online`, ...rest];
}

function markText({ fleet, past, shown: { drawn } }: FleetMapModel, clusters: ClusterIndex, mark: Mark): string {
  const { count, kinds, cluster } = mark;
  const [row] = clusters.members(cluster, 1);
  if (count === 1 && row !== undefined) {
    const { DeviceStatus, DeviceGroup } = fleet.device(row);
    const parts = [deviceNameAt(fleet, row), stateLabel(past ? past.stateOf(row) : DeviceStatus)];
    if (drawn.by === 'group') parts.push(DeviceGroup ?? '');
    if (drawn.by === 'version') parts.push(nameOf(drawn.names, numberOfKind(kinds.findIndex((each) => each > 0))));
    return parts.filter(Boolean).join(' · ');
  }
  const parts =
    drawn.by === 'state'
      ? stateParts(kinds, past !== undefined, fleet.coded('DeviceStatus')?.texts.some(isOtherState) === true)
      : numbersOf(kinds).flatMap((members, number) =>
          members > 0 ? [`${formatCount(members)} ${nameOf(drawn.names, number)}`] : [],
        );
  return `${devicesText(count)}, ${parts.join(', ')}`;
}

/** A card keeps clear of the buttons on the left. */
const CLEAR: [number, number] = [92, 12];

/** The layer of all markers, which draws what the page shows. */
function useMarkerLayer(map: L.Map, { model, scheme }: FleetLayerProps): MarkerLayer {
  const { fleet, selected, chosen, past } = model;
  const { clusters } = model.shown;
  const { by } = model.shown.drawn;
  const [layer] = useState(() => new MarkerLayer());
  useEffect(() => {
    layer.addTo(map);
    return () => void layer.remove();
  }, [layer, map]);
  useEffect(() => layer.paint(COLORS[scheme], by), [layer, scheme, by]);
  useEffect(
    () => layer.show(clusters, (row) => (fleet.has(row) ? deviceNameAt(fleet, row) : '')),
    [layer, clusters, fleet],
  );
  useEffect(() => past?.subscribe(() => layer.recount()), [layer, past]);
  useEffect(() => layer.select(selected), [layer, selected]);
  const marked = model.state.hovered ?? chosen;
  useEffect(() => layer.highlight(marked), [layer, marked]);
  return layer;
}

export function FleetLayer({ model, scheme }: FleetLayerProps) {
  const { fleet, places, url, chosen, placing, past } = model;
  const { clusters } = model.shown;
  const { hovered } = model.state;
  const map = useMap();
  const layer = useMarkerLayer(map, { model, scheme });
  const [hint, setHint] = useState<{ text: string; x: number; y: number }>();
  const [spot, setSpot] = useState<{ at: L.LatLng; cluster: Cluster; of: ClusterIndex }>();
  // Leaflet closes a card on Escape only while the map itself has the focus, not the card.
  useEscape(({ target }) => {
    if (!(target instanceof Element && target.closest('[role=dialog], [role=menu], input'))) map.closePopup();
  });

  // What it says may no longer be so.
  useEffect(() => past?.subscribe(() => setHint(undefined)), [past]);
  const hintOf = (mark: Mark) =>
    clusters && { text: markText(model, clusters, mark), x: mark.x, y: mark.y - mark.radius };
  // A device that is hovered or focused in the list is highlighted on the map as well.
  const listed = hovered === undefined || hovered === chosen ? undefined : layer.markOf(hovered);
  const shownHint = listed ? hintOf(listed) : hint;
  useMapEvents({
    mousemove: ({ containerPoint }) => {
      const mark = placing.waiting ? undefined : layer.markAt(containerPoint);
      map.getContainer().style.cursor = placing.waiting ? 'crosshair' : mark ? 'pointer' : '';
      setHint(mark && hintOf(mark));
      model.point(mark?.count === 1 ? clusters?.members(mark.cluster, 1)[0] : undefined);
    },
    mouseout: () => {
      setHint(undefined);
      model.point(undefined);
    },
    movestart: () => setHint(undefined),
    click: ({ containerPoint, latlng, originalEvent: { target } }) => {
      // A click that closed a card reaches the map, because its target is no longer in the document.
      if (target instanceof Node && !target.isConnected) return;
      if (placing.waiting) return model.place(latlng);
      const mark = layer.markAt(containerPoint);
      if (!mark || !clusters) return;
      const members = clusters.members(mark.cluster);
      const [first] = members;
      const box = boxOf(places, members);
      if (first === undefined || !box) return;
      if (members.length === 1) return url.set({ device: fleet.idOf(first) });
      const near = boxNear(latlng.lng, box);
      if (!isOneSpot(box)) return void map.fitBounds(boundsOf(near), { padding: [60, 60], maxZoom: 18 });
      setSpot({ at: L.latLng(near.south, near.west), cluster: mark.cluster, of: clusters });
    },
  });

  return (
    <>
      {shownHint && (
        <div
          className={classes.hint}
          style={{ translate: `calc(${shownHint.x}px - 50%) calc(${shownHint.y}px - 100% - 8px)` }}
          aria-hidden
        >
          {shownHint.text}
        </div>
      )}
      {spot && (
        <Popup position={spot.at} autoPanPaddingTopLeft={CLEAR} eventHandlers={{ remove: () => setSpot(undefined) }}>
          <SpotCard
            fleet={fleet}
            past={past}
            rows={spot.of.members(spot.cluster, MOST_LISTED).filter((row) => fleet.has(row))}
            count={spot.cluster.count}
          />
        </Popup>
      )}
      {chosen !== undefined && places.kind[chosen] === 1 && (
        <DevicePopup key={fleet.idOf(chosen)} model={model} row={chosen} />
      )}
    </>
  );
}

function DevicePopup({ model, row }: { model: FleetMapModel; row: number }) {
  const { fleet, places, past } = model;
  const deviceThen = useDeviceThen(past);
  const [lat, lng] = [places.lat[row]!, places.lng[row]!];
  // The same object while the location is the same: with a new one the card would reopen and lose the focus.
  const map = useMap();
  const position = useMemo(() => L.latLng(lat, nearestTo(map.getCenter().lng, lng)), [map, lat, lng]);
  const move = () =>
    model.startPlacing({ id: fleet.idOf(row), name: deviceNameAt(fleet, row), old: { Lat: lat, Lng: lng } });
  return (
    <Popup position={position} autoPanPaddingTopLeft={CLEAR} eventHandlers={{ remove: model.closeCard }}>
      <DeviceCard device={deviceThen(fleet.device(row), row)} focus={model.state.opener !== undefined} onMove={move} />
    </Popup>
  );
}
