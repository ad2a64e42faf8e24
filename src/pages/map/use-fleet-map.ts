// The model of the map page: its devices, state and actions.
import { startTransition, useEffect, useMemo, useState } from 'react';
import type L from 'leaflet';
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import type { Places } from '#/fleet/columns.ts';
import { useResolvedFilter } from '#/features/late-fleet/use-resolved-filter.ts';
import { useFacets } from '#/features/device-filters/use-facets.ts';
import { useSelection } from '#/features/bulk/selection.ts';
import { counted } from '#/lib/format.ts';
import { boundsOf, boxNear, boxOf, nearestTo, type Box } from '#/lib/longitude.ts';
import { atOnce, runChunked, nextTask } from '#/lib/pace.ts';
import { sameValues } from '#/lib/same-values.ts';
import { WorkerClient } from '#/lib/worker-client.ts';
import type { AreaTool, Pixel } from './area-select.tsx';
import { ClusterIndex, buildCurve, type CurveArrays, type Points } from './cluster-index.ts';
import { colouredGroups, numberByGroup, numberByVersion } from './colouring.ts';
import { CLOSEST, byLocation, pointSteps } from './map-fleet.ts';
import type { ColorBy } from './marker-colors.ts';
import { useMapVersions } from './use-map-versions.ts';
import { printView, useMapUrl } from './use-map-url.ts';
import type { ShownPast } from './shown-past.ts';
import { usePlacing, type ToPlace } from './use-placing.ts';

/**
 * Stages that are rendered one per task: all at once would block the page for a fifth of a second.
 */
export const STAGES = { leaflet: 1, base: 2, fleet: 3, list: 4 };

/** Matches no device, until it is known who has a tag. */
const NOBODY = { tagged: new Set<string>() };

/** Counts from 0 up to `last`, each number in a task of its own. */
function useStages(last: number): number {
  const [stage, setStage] = useState(0);
  useEffect(() => {
    if (stage >= last) return;
    let isLeft = false;
    void nextTask().then(() => {
      if (!isLeft) startTransition(() => setStage(stage + 1));
    });
    return () => {
      isLeft = true;
    };
  }, [stage, last]);
  return stage;
}

/** Returns the previous array while the values are the same. */
function useStable<Values extends Uint32Array | readonly string[]>(values: Values): Values {
  const [shown, setShown] = useState(values);
  if (sameValues(shown, values)) return shown;
  setShown(values);
  return values;
}

/** The marks of the devices that are drawn, and what their colours mean. */
function useMarks(fleet: FleetIndex, places: Places, placed: Uint32Array, url: ReturnType<typeof useMapUrl>) {
  const all = useMemo(() => fleet.facets({}, ['group']).group, [fleet]);
  const groups = useStable(useMemo(() => colouredGroups(all), [all]));
  // Which versions ran in the past is not known.
  const isPast = url.replay !== undefined;
  const versions = useMapVersions(isPast ? { ...url, color: 'state' } : url);
  const isOffered = versions.isOffered && !isPast;
  const names = useStable<readonly string[]>(versions.names);
  const { byId } = versions;
  const [status, group] = [fleet.coded('DeviceStatus'), fleet.coded('DeviceGroup')];
  const ids = byId ? fleet.idsOf(placed) : undefined;
  // Other changes are not drawn, so the clusters stay.
  const points = useMemo((): PendingPoints => {
    const numberOf = byId && ids ? numberByVersion(byId, names, ids) : numberByGroup(group, groups);
    return {
      count: placed.length,
      colours: byId ? { by: 'version', names } : { by: 'group', names: groups },
      make: () => pointSteps(status, places, placed, numberOf),
    };
  }, [status, group, places, placed, groups, byId, names, ids]);
  const { index: clusters, colours } = useClusterIndex(points) ?? {};
  const colorBy: ColorBy = url.color === 'version' && !isOffered ? 'state' : url.color;
  return {
    clusters,
    colorBy,
    /** What the clusters can be drawn by: the index for another choice may still be under way. */
    drawn: { by: colours?.by === colorBy ? colorBy : ('state' as const), names: colours?.names ?? [] },
    groups,
    hasMoreGroups: all.length > groups.length,
    versions: { ...versions, isOffered },
  };
}

/** The devices that meet a filter, as the map and its lists show them. */
function useShownFleet(fleet: FleetIndex, places: Places, url: ReturnType<typeof useMapUrl>) {
  const resolved = useResolvedFilter(fleet, url.filter);
  const filter = resolved.value ?? NOBODY;
  const stage = useStages(STAGES.list);
  const rows = useStable(useMemo(() => fleet.query({ filter }), [fleet, filter]));
  const placed = useStable(useMemo(() => byLocation(places, rows).placed, [places, rows]));
  // After the map itself: the counts are for lists that are opened later.
  const counts = useFacets(stage >= STAGES.list && !fleet.isPart ? fleet : undefined, filter);
  return { resolved, filter, stage, rows, placed, ...counts, ...useMarks(fleet, places, placed, url) };
}

/** The selected devices that are on the map, by row, and the way to add to them. */
function useSelectedRows(fleet: FleetIndex, places: Places) {
  const { ids, add } = useSelection();
  const rows = useMemo(() => {
    const found = Array.from(ids, (id) => fleet.rowOf(id));
    return new Set(found.filter((row) => row !== undefined && places.kind[row] === 1) as number[]);
  }, [ids, fleet, places]);
  return { rows, add };
}

/** The state that is not in the URL. */
interface MapState {
  view?: { box: Box; zoom: number };
  /** Row that the list points at. */
  hovered?: number | undefined;
  /** Row that the map points at. */
  pointed?: number | undefined;
  tool?: AreaTool | undefined;
  /** Says what was selected last. */
  message: string;
  isListOpen: boolean;
  /** The person has moved the map. */
  isMoved?: boolean;
  /** Where the focus goes when the replay opens or closes. */
  replayFocus?: 'bar' | 'open';
  /** The element that opened the card by keyboard, and gets the focus back. */
  opener?: HTMLElement | undefined;
}

export function useFleetMap(fleet: FleetIndex, places: Places) {
  const url = useMapUrl();
  const live = useShownFleet(fleet, places, url);
  const [past, setPast] = useState<ShownPast>();
  const shown = { ...live, clusters: past?.clusters ?? live.clusters };
  const selected = useSelectedRows(fleet, places);
  const placing = usePlacing();
  const [map, setMap] = useState<L.Map | null>(null);
  const [state, setState] = useState<MapState>({ message: '', isListOpen: false });
  const change = (patch: Partial<MapState>) => setState((now) => ({ ...now, ...patch }));

  return {
    fleet,
    places,
    url,
    shown,
    /** The clusters as they are now, whatever is shown. */
    live: live.clusters,
    /** What the replay shows in place of the present. */
    past,
    setPast,
    selected: selected.rows,
    placing,
    map,
    setMap,
    state,
    change,
    /** Row whose card is open. */
    chosen: url.device === undefined ? undefined : fleet.rowOf(url.device),

    fit: (rows: ArrayLike<number>) => {
      const box = boxOf(places, rows);
      if (map && box)
        map.fitBounds(boundsOf(boxNear(map.getCenter().lng, box)), { padding: [40, 40], maxZoom: CLOSEST });
    },
    follow: (moved: L.Map, isMove: boolean) => {
      const [bounds, zoom] = [moved.getBounds(), moved.getZoom()];
      const [south, north] = [bounds.getSouth(), bounds.getNorth()];
      const view = { box: { south, west: bounds.getWest(), north, east: bounds.getEast() }, zoom };
      change({ view, ...(isMove && { isMoved: true }) });
      if (!isMove) return;
      const { lat, lng } = moved.getCenter().wrap();
      url.setView(printView({ lat, lng, zoom }));
    },
    point: (row: number | undefined) => {
      if (row !== state.pointed) change({ pointed: row });
    },
    /** Opens the card of a device in the list; by keyboard it takes the focus, and gives it back. */
    choose: (row: number, byKeyboard: boolean) => {
      const { activeElement } = document;
      const opener = byKeyboard && activeElement instanceof HTMLElement ? activeElement : undefined;
      change({ opener, isListOpen: false });
      if (map)
        map.setView(
          [places.lat[row]!, nearestTo(map.getCenter().lng, places.lng[row]!)],
          Math.max(map.getZoom(), CLOSEST),
        );
      url.set({ device: fleet.idOf(row) });
    },
    closeCard: () => {
      url.set({ device: undefined });
      const { opener } = state;
      const inList = document.querySelector<HTMLElement>('li[data-chosen=true] button');
      if (opener) (opener.isConnected ? opener : inList)?.focus();
      change({ opener: undefined });
    },
    startPlacing: (device: ToPlace) => {
      change({ tool: undefined, isListOpen: false });
      url.set({ device: undefined });
      placing.start(device);
    },
    place: (at: L.LatLng, device?: ToPlace) => {
      const { lat, lng } = at.wrap();
      placing.place(lat, lng, device);
    },
    selectArea: (corners: Pixel[]) => {
      const { clusters } = shown;
      if (!map || !clusters) return change({ tool: undefined });
      const world = 256 * 2 ** map.getZoom();
      const { x: left, y: top } = map.getPixelBounds().min ?? { x: 0, y: 0 };
      const rows = clusters.inside(corners.map(({ x, y }) => ({ x: (x + left) / world, y: (y + top) / world })));
      selected.add(fleet.ids(rows));
      const added = `${counted(rows.length, 'device')} added to the selection.`;
      change({ tool: undefined, message: rows.length === 0 ? 'No devices inside.' : added });
    },
  };
}

export type FleetMapModel = ReturnType<typeof useFleetMap>;

/** Building an index of up to this many points is faster than a round trip to a worker. */
const AT_ONCE = 4000;

interface PendingPoints {
  count: number;
  /** What the numbers in the kinds of points mean. */
  colours: { by: Exclude<ColorBy, 'state'>; names: readonly string[] };
  /** Makes arrays that nothing else uses, so they can be transferred. */
  make: () => Generator<void, Points>;
}

interface BuiltIndex extends Pick<PendingPoints, 'colours'> {
  index: ClusterIndex;
}

const buildIndex = ({ make, colours }: PendingPoints): BuiltIndex => ({
  index: new ClusterIndex(buildCurve(atOnce(make()))),
  colours,
});

/** `points` must be the same object as long as nothing in it changes. */
function useClusterIndex(points: PendingPoints): BuiltIndex | undefined {
  const isSmall = points.count <= AT_ONCE;
  const small = useMemo(() => (isSmall ? buildIndex(points) : undefined), [isSmall, points]);
  const [large, setLarge] = useState<BuiltIndex>();
  const [worker] = useState(
    () =>
      new WorkerClient<Points, CurveArrays>(
        () => new Worker(new URL('./cluster-worker.ts', import.meta.url), { type: 'module' }),
      ),
  );

  useEffect(() => () => worker.close(), [worker]);
  useEffect(() => {
    if (isSmall) return;
    const outdated = new AbortController();
    const ask = (made: Points) => {
      // Transferred, because copying would block the page.
      const transfer = Object.values(made as unknown as Record<string, Uint8Array<ArrayBuffer>>).map(
        ({ buffer }) => buffer,
      );
      return worker.ask(made, { transfer, signal: outdated.signal });
    };
    const built = nextTask()
      .then(() => runChunked(points.make()))
      .then(ask);
    void built.then(
      (curve) => setLarge({ index: new ClusterIndex(curve), colours: points.colours }),
      // If the worker cannot be loaded, the index is built here, slowly; the next points try a new worker.
      () => outdated.signal.aborted || setLarge(buildIndex(points)),
    );
    return () => outdated.abort();
  }, [isSmall, points, worker]);

  return small ?? large;
}
