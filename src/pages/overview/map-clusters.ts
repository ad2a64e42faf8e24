// The devices of a small map as clusters on a flat projection of the world.
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import { boxOf, eastOf } from '#/lib/longitude.ts';

export interface PlacedCluster {
  lat: number;
  lng: number;
  count: number;
  offline: number;
  /** Not connected yet. */
  isNew: number;
}

/** Pixels of a cell; clusters never overlap. */
const CELL = 46;
const TILE = 256;
const PLACED = 1;

/** Web Mercator, in pixels of a zoom level. */
function project(lat: number, lng: number, size: number): [x: number, y: number] {
  const sine = Math.sin((Math.max(-85, Math.min(85, lat)) * Math.PI) / 180);
  return [((lng + 180) / 360) * size, (0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * size];
}

interface Cell extends PlacedCluster {
  x: number;
  y: number;
}

/** The largest first; their longitudes are those of the box that holds the fleet, which may cross 180. */
export function clustersOf(index: FleetIndex, zoom: number): PlacedCluster[] {
  const { places } = index;
  if (!places) return [];
  const placed = index.rows.filter((row) => places.kind[row] === PLACED);
  const west = boxOf(places, placed)?.west ?? 0;
  const status = index.coded('DeviceStatus');
  const stateAt = status?.texts.map((text) =>
    text === 'Offline' ? 'offline' : text === 'NotConnected' ? 'isNew' : undefined,
  );
  const size = TILE * 2 ** zoom;
  const cells = new Map<number, Cell>();
  for (const row of placed) {
    const [lat, lng] = [places.lat[row] ?? 0, eastOf(places.lng[row] ?? 0, west)];
    const [x, y] = project(lat, lng, size);
    const key = Math.floor(x / CELL) * 100_000 + Math.floor(y / CELL);
    let cell = cells.get(key);
    if (!cell) cells.set(key, (cell = { lat: 0, lng: 0, x: 0, y: 0, count: 0, offline: 0, isNew: 0 }));
    cell.lat += lat;
    cell.lng += lng;
    cell.x += x;
    cell.y += y;
    cell.count += 1;
    const state = status && stateAt?.[status.code(row)];
    if (state) cell[state] += 1;
  }
  const merged: Cell[] = [];
  for (const cell of [...cells.values()].toSorted((one, two) => two.count - one.count)) {
    const near = merged.find((other) => {
      // A neighbour at the other edge of the world moves over.
      const turns = Math.round((other.x / other.count - cell.x / cell.count) / size);
      const x = cell.x / cell.count + turns * size;
      if (Math.hypot(other.x / other.count - x, other.y / other.count - cell.y / cell.count) >= CELL * 0.8)
        return false;
      cell.x += turns * size * cell.count;
      cell.lng += turns * 360 * cell.count;
      return true;
    });
    if (!near) {
      merged.push({ ...cell });
      continue;
    }
    for (const name of ['lat', 'lng', 'x', 'y', 'count', 'offline', 'isNew'] as const) near[name] += cell[name];
  }
  return merged
    .map(({ lat, lng, count, offline, isNew }) => ({ lat: lat / count, lng: lng / count, count, offline, isNew }))
    .toSorted((one, two) => two.count - one.count);
}
