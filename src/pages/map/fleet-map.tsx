// The map with everything on and beside it: what is drawn, listed, selected and placed, all of one fleet and one filter.
import { useCallback, useMemo, useRef, useState } from 'react';
import { useComputedColorScheme } from '@mantine/core';
import type L from 'leaflet';
import { AttributionControl, MapContainer, ScaleControl } from 'react-leaflet';
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import type { Places } from '#/fleet/columns.ts';
import { useTaggedFilter } from '#/fleet/use-tagged-filter.ts';
import { BulkBar } from '#/features/bulk/bulk-bar.tsx';
import { useFacets } from '#/features/device-filters/use-facets.ts';
import { useSelection } from '#/features/bulk/selection.ts';
import { formatCount } from '#/lib/format.ts';
import { Failure } from '#/ui/page/view.tsx';
import { AreaSelect } from './area-select.tsx';
import type { AreaTool, Pixel } from './area-select.tsx';
import { BaseMapLayer } from '#/features/base-map/base-map-layer.tsx';
import { FleetLayer, boundsOf } from './fleet-layer.tsx';
import { Legend } from './legend.tsx';
import { MapBar } from './map-bar.tsx';
import { DropTarget, FollowView } from './map-events.tsx';
import { MapControls } from './map-controls.tsx';
import { boxOf, byPlace, colouredGroups, deviceNameAt, pointsOf } from './map-fleet.ts';
import type { Box } from './map-fleet.ts';
import { printView, readMapView } from './map-view.ts';
import { PlacingBanner } from './placing-banner.tsx';
import { SidePanel } from './side-panel.tsx';
import { useClusterIndex } from './use-cluster-index.ts';
import { useMapUrl } from './use-map-url.ts';
import { usePlacing } from './use-placing.ts';
import type { ToPlace } from './use-placing.ts';
import { useStages } from './use-stages.ts';
import controls from '#/features/base-map/map-controls.module.css';
import classes from './map-page.module.css';

/** Whether the reader's country measures ways in miles. */
const IN_MILES = /-(?:US|GB|LR|MM)$/.test(navigator.language);

/** What is drawn in a task of its own, one after the other. */
const STAGES = { leaflet: 1, fleet: 2, base: 3, list: 4 };

/** Until it is known who has a tag. */
const NOBODY = { tagged: new Set<string>() };

export function FleetMap({ fleet, places }: { fleet: FleetIndex; places: Places }) {
  const url = useMapUrl();
  const { color: colorBy } = url;
  const told = useTaggedFilter(fleet, url.filter);
  const filter = told.filter ?? NOBODY;
  const scheme = useComputedColorScheme('light');
  const selection = useSelection();
  const placing = usePlacing();
  const [map, setMap] = useState<L.Map | null>(null);
  const [view, setView] = useState<{ box: Box; zoom: number }>();
  const [hovered, setHovered] = useState<number>();
  const [pointed, setPointed] = useState<number>();
  const [tool, setTool] = useState<AreaTool>();
  const [said, setSaid] = useState('');
  const [listOpen, setListOpen] = useState(false);
  const stage = useStages(STAGES.list);

  const { placed } = useMemo(() => byPlace(places, fleet.query({ filter })), [fleet, places, filter]);
  // Not before the map itself: they are for lists that are opened later.
  const isLate = stage >= STAGES.list;
  const { facets, neverSeen } = useFacets(isLate ? fleet : undefined, filter);
  const groups = useMemo(() => fleet.facets({}, ['group']).group, [fleet]);
  const colours = useMemo(() => colouredGroups(groups), [groups]);
  const points = useMemo(() => pointsOf(fleet, places, placed, colours), [fleet, places, placed, colours]);
  const clusters = useClusterIndex(points);
  const selected = useMemo(() => {
    const rows = Array.from(selection.ids, (id) => fleet.rowOf(id));
    return new Set(rows.filter((row) => row !== undefined && places.kind[row] === 1) as number[]);
  }, [selection.ids, fleet, places]);
  const chosen = url.device === undefined ? undefined : fleet.rowOf(url.device);

  const start = useState(() => readMapView(url.at))[0];
  const startBox = useState(() => boxOf(places, placed))[0];
  const fit = (rows: ArrayLike<number>, maxZoom: number) => {
    const box = boxOf(places, rows);
    if (box) map?.fitBounds(boundsOf(box), { padding: [40, 40], maxZoom });
  };
  const followMap = (moved: L.Map, isMove: boolean) => {
    const bounds = moved.getBounds();
    const box = {
      south: bounds.getSouth(),
      west: bounds.getWest(),
      north: bounds.getNorth(),
      east: bounds.getEast(),
    };
    setView({ box, zoom: moved.getZoom() });
    if (!isMove) return;
    const { lat, lng } = moved.getCenter().wrap();
    url.setView(printView({ lat, lng, zoom: moved.getZoom() }));
  };

  // A card that was opened by keyboard has the focus, and gives it back.
  const opener = useRef<HTMLElement>(undefined);
  const [focusCard, setFocusCard] = useState(false);
  const choose = (row: number, byKeyboard: boolean) => {
    setFocusCard(byKeyboard);
    opener.current = byKeyboard && document.activeElement instanceof HTMLElement ? document.activeElement : undefined;
    map?.setView([places.lat[row]!, places.lng[row]!], Math.max(map.getZoom(), 9));
    url.set({ device: fleet.device(row).DeviceId });
    setListOpen(false);
  };
  const closeCard = () => {
    url.set({ device: undefined });
    const list = document.querySelector<HTMLElement>('li[data-chosen=true] button');
    if (opener.current) (opener.current.isConnected ? opener.current : list)?.focus();
    opener.current = undefined;
    setFocusCard(false);
  };

  const startPlacing = (device: ToPlace) => {
    setTool(undefined);
    setListOpen(false);
    // Its card would be in the way of the click.
    url.set({ device: undefined });
    placing.start(device);
  };
  const place = ({ lat, lng }: L.LatLng, device?: ToPlace) => placing.place(lat, lng, device);

  const takeTool = useCallback((next: AreaTool | undefined) => {
    setTool(next);
    setSaid('');
  }, []);
  const leaveTool = useCallback(() => setTool(undefined), []);
  const selectArea = (corners: Pixel[]) => {
    setTool(undefined);
    if (!map || !clusters) return;
    const world = 256 * 2 ** map.getZoom();
    const { x: left, y: top } = map.getPixelBounds().min ?? { x: 0, y: 0 };
    const rows = clusters.inside(corners.map(({ x, y }) => ({ x: (x + left) / world, y: (y + top) / world })));
    selection.add(fleet.ids(rows));
    setSaid(
      rows.length === 0
        ? 'There was no device inside.'
        : `${formatCount(rows.length)} ${rows.length === 1 ? 'device' : 'devices'} added to the selection.`,
    );
  };

  return (
    <div className={classes.page}>
      <MapBar url={url} facets={facets} neverSeen={neverSeen} listOpen={listOpen} onList={setListOpen} />
      {told.error && (
        <Failure what="who has this tag" error={told.error} busy={told.isFetching} onRetry={told.refetch} />
      )}
      <div className={classes.body} data-list={listOpen}>
        <section className={classes.map} aria-label="Map of device locations">
          {stage >= STAGES.leaflet && (
            <MapContainer
              ref={setMap}
              {...(start
                ? { center: [start.lat, start.lng] as [number, number], zoom: start.zoom }
                : startBox
                  ? {
                      bounds: boundsOf(startBox),
                      boundsOptions: { padding: [40, 40] as [number, number], maxZoom: 11 },
                    }
                  : { center: [25, 10] as [number, number], zoom: 2 })}
              minZoom={2}
              maxZoom={18}
              zoomControl={false}
              attributionControl={false}
              worldCopyJump
              className={`${controls.controls} ${classes.canvas}`}
            >
              {stage >= STAGES.base && <BaseMapLayer scheme={scheme} />}
              <AttributionControl prefix={false} />
              <ScaleControl position="bottomleft" metric={!IN_MILES} imperial={IN_MILES} />
              {stage >= STAGES.fleet && (
                <FleetLayer
                  fleet={fleet}
                  places={places}
                  clusters={clusters}
                  groups={colours}
                  colorBy={colorBy}
                  scheme={scheme}
                  selected={selected}
                  chosen={chosen}
                  focusCard={focusCard}
                  onChoose={(row) =>
                    row === undefined ? closeCard() : url.set({ device: fleet.device(row).DeviceId })
                  }
                  hovered={hovered}
                  onPoint={setPointed}
                  isPlacing={placing.waiting !== undefined}
                  onPlace={(at) => place(at.wrap())}
                  onMove={(row) =>
                    startPlacing({
                      id: fleet.device(row).DeviceId,
                      name: deviceNameAt(fleet, row),
                      old: { Lat: places.lat[row]!, Lng: places.lng[row]! },
                    })
                  }
                />
              )}
              <FollowView onView={followMap} />
              <DropTarget onDrop={place} />
            </MapContainer>
          )}
          {tool && <AreaSelect tool={tool} onArea={selectArea} onCancel={leaveTool} />}
          <MapControls
            map={map}
            zoom={view?.zoom ?? map?.getZoom() ?? 2}
            tool={tool}
            onTool={takeTool}
            placed={placed.length}
            onShowAll={() => fit(placed, 13)}
            selected={selected.size}
            onShowSelected={() => fit([...selected], 16)}
          />
          <Legend
            colorBy={colorBy}
            onColorBy={(by) => url.set({ color: by })}
            groups={colours}
            more={groups.length > colours.length}
            scheme={scheme}
          />
          <PlacingBanner placing={placing} onCentre={() => map && place(map.getCenter().wrap())} />
          <p className={classes.said} role="status">
            {told.filter || told.error ? said : 'The service is asked who has this tag.'}
          </p>
        </section>
        {stage >= STAGES.list ? (
          <SidePanel
            fleet={fleet}
            places={places}
            filter={filter}
            view={view?.box}
            chosen={chosen}
            pointed={pointed}
            onChoose={choose}
            onHover={setHovered}
            onPlace={startPlacing}
          />
        ) : (
          <div className={classes.side} />
        )}
      </div>
      <BulkBar where="the map" />
    </div>
  );
}
