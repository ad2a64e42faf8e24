// The fleet on a small map, as clusters with their Offline share; a click opens the map there. Its name says the same.
import { useEffect, useMemo, useReducer } from 'react';
import { useNavigate } from 'react-router';
import L from 'leaflet';
import { useMap } from 'react-leaflet';
import { MapBox } from '#/features/base-map/map-box.tsx';
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import { paths } from '#/paths.ts';
import { counted, devicesText, formatCount } from '#/lib/format.ts';
import { nearestTo } from '#/lib/longitude.ts';
import { Link } from '#/ui/url/link.tsx';
import { clustersOf, type PlacedCluster } from './map-clusters.ts';
import classes from './fleet-map.module.css';

const PADDING: [number, number] = [28, 28];
/** A fleet at one place is shown with its surroundings. */
const CLOSEST = 9;
/** Zoom levels that a click on a cluster comes closer. */
const CLOSER = 3;
const STILL = {
  dragging: false,
  touchZoom: false,
  doubleClickZoom: false,
  scrollWheelZoom: false,
  boxZoom: false,
  keyboard: false,
  zoomControl: false,
};

export function FleetMap({ index }: { index: FleetIndex }) {
  const world = useMemo(() => clustersOf(index, 4), [index]);
  const placed = world.reduce((sum, { count }) => sum + count, 0);
  const offline = world.reduce((sum, each) => sum + each.offline, 0);
  const name = `Fleet map: ${devicesText(placed)} in ${counted(world.length, 'area')}, ${formatCount(offline)} Offline`;
  return (
    <div className={classes.map}>
      <div className={classes.frame}>
        <MapBox center={[25, 10]} zoom={1} minZoom={0} zoomSnap={0.25} {...STILL}>
          <Clusters index={index} world={world} />
        </MapBox>
      </div>
      <Link to={paths.map()} className={classes.open} aria-label={`${name}. Open the map`}>
        Open the map
      </Link>
    </div>
  );
}

function Clusters({ index, world }: { index: FleetIndex; world: readonly PlacedCluster[] }) {
  const map = useMap();
  const navigate = useNavigate();
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const area = L.latLngBounds(world.map(({ lat, lng }) => [lat, lng])).toBBoxString();
  useEffect(() => {
    const fit = () => {
      map.invalidateSize({ animate: false });
      const [west = 0, south = 0, east = 0, north = 0] = area.split(',').map(Number);
      map.fitBounds(L.latLngBounds([south, west], [north, east]), {
        padding: PADDING,
        maxZoom: CLOSEST,
        animate: false,
      });
      redraw();
    };
    fit();
    const observer = new ResizeObserver(fit);
    observer.observe(map.getContainer());
    return () => observer.disconnect();
  }, [map, area]);
  const zoom = map.getZoom();
  const clusters = useMemo(() => clustersOf(index, zoom), [index, zoom]);
  return (
    <svg className={classes.clusters} aria-hidden>
      {clusters.map((cluster) => {
        const { lat, lng, count, offline, isNew } = cluster;
        const { x, y } = map.latLngToContainerPoint([lat, lng]);
        const at = `${lat.toFixed(4)},${nearestTo(0, lng).toFixed(4)},${Math.min(CLOSEST, Math.round(zoom) + CLOSER)}`;
        return (
          <g
            key={`${lat} ${lng}`}
            transform={`translate(${x} ${y})`}
            className={classes.cluster}
            onClick={() => void navigate(paths.mapAt(at))}
          >
            <Ring {...cluster} />
            <title>
              {[
                devicesText(count),
                `${formatCount(offline)} offline`,
                ...(isNew > 0 ? [`${formatCount(isNew)} not connected yet`] : []),
              ].join(', ')}
            </title>
          </g>
        );
      })}
    </svg>
  );
}

/** A ring with the shares of the states; a device alone is a dot or, offline or not connected yet, a ring. */
function Ring({ count, offline, isNew }: Pick<PlacedCluster, 'count' | 'offline' | 'isNew'>) {
  if (count === 1)
    return (
      <circle r={5} className={classes.one} data-offline={offline > 0 || undefined} data-new={isNew > 0 || undefined} />
    );
  const r = Math.min(18, 9 + 2 * Math.log2(count) * 0.7);
  const length = 2 * Math.PI * r;
  return (
    <>
      <circle r={r} className={classes.disc} />
      <circle r={r} className={classes.online} />
      <circle
        r={r}
        className={classes.offline}
        transform="rotate(-90)"
        strokeDasharray={`${(offline / count) * length} ${length}`}
      />
      {isNew > 0 && (
        <circle
          r={r}
          className={classes.new}
          transform={`rotate(${360 * (offline / count) - 90})`}
          strokeDasharray={`${(isNew / count) * length} ${length}`}
        />
      )}
      <text dy="0.35em" textAnchor="middle">
        {formatCount(count)}
      </text>
    </>
  );
}
