// The fleet as the map needs it: rows of the fleet index by where they are, and one byte for each with how it is drawn.
// Whole numbers throughout, since there may be a million of them.
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import type { FacetValue } from '#/fleet/filter.ts';
import type { Places } from '#/fleet/columns.ts';
import type { LatLngBoundsLiteral } from 'leaflet';
import type { Points } from './cluster-index.ts';

export const ONLINE = 0;
export const OFFLINE = 1;
/** Neither: any other state of a service. */
export const OTHER = 2;
/** Groups with a colour and a letter of their own. */
export const MOST_GROUPS = 8;

/** How a device is drawn, in one byte: its state in the lowest two bits, the number of its group above. */
export const stateOfKind = (kind: number): number => kind & 3;
export const groupOf = (kind: number): number => kind >> 2;

export interface Box {
  south: number;
  west: number;
  north: number;
  east: number;
}

/** The largest groups, which get a colour; of equal ones the first by name. */
export function colouredGroups(groups: readonly FacetValue[]): string[] {
  return groups
    .filter(({ value }) => value !== '')
    .toSorted((one, two) => two.count - one.count)
    .slice(0, MOST_GROUPS)
    .map(({ value }) => value);
}

/** What decides how a device is drawn, as far as the service has it. */
type MarkedBy = Record<'status' | 'group', ReturnType<FleetIndex['coded']>>;

/** The byte of each row. A group without a number of its own has {@link MOST_GROUPS}. */
function kindsOf({ status, group }: MarkedBy, rows: Uint32Array, groups: readonly string[]): Uint8Array {
  const states = status?.texts.map((text) => (text === 'Online' ? ONLINE : text === 'Offline' ? OFFLINE : OTHER));
  const numbers = group?.texts.map((text) => {
    const number = text === '' ? -1 : groups.indexOf(text);
    return (number < 0 ? MOST_GROUPS : number) << 2;
  });
  const kinds = new Uint8Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!;
    kinds[i] = (states?.[status!.code(row)] ?? OTHER) | (numbers?.[group!.code(row)] ?? MOST_GROUPS << 2);
  }
  return kinds;
}

/** In arrays of their own, so that they can move to a worker. */
export function pointsOf(marked: MarkedBy, places: Places, rows: Uint32Array, groups: readonly string[]): Points {
  const lat = new Float64Array(rows.length);
  const lng = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    lat[i] = places.lat[rows[i]!]!;
    lng[i] = places.lng[rows[i]!]!;
  }
  return { rows: rows.slice(), lat, lng, kinds: kindsOf(marked, rows, groups) };
}

/** Rows by whether they can be drawn: those that have a location, and those with an invalid one or none, in that order. */
export function byLocation({ kind }: Places, rows: Uint32Array): { placed: Uint32Array; other: Uint32Array } {
  const ends = [0, 0, 0];
  for (const row of rows) ends[kind[row]!]!++;
  const [unplaced = 0, some = 0, invalid = 0] = ends;
  const placed = new Uint32Array(some);
  const other = new Uint32Array(invalid + unplaced);
  const next = [invalid, 0, 0];
  for (const row of rows) (kind[row] === 1 ? placed : other)[next[kind[row]!]!++] = row;
  return { placed, other };
}

/** The smallest box that holds these rows; undefined for none. */
export function boxOf({ lat, lng }: Places, rows: ArrayLike<number>): Box | undefined {
  if (rows.length === 0) return undefined;
  const box: Box = { south: 90, west: 180, north: -90, east: -180 };
  for (let i = 0; i < rows.length; i++) {
    const [y, x] = [lat[rows[i]!]!, lng[rows[i]!]!];
    if (y < box.south) box.south = y;
    if (y > box.north) box.north = y;
    if (x < box.west) box.west = x;
    if (x > box.east) box.east = x;
  }
  return box;
}

/** How far the map zooms in by itself: closer, the built-in coast is a zigzag. A person may go on. */
export const CLOSEST = 9;

export const boundsOf = ({ south, west, north, east }: Box): LatLngBoundsLiteral => [
  [south, west],
  [north, east],
];

/** The rows inside a box, in their order. Its east may be beyond 180°, where the world repeats. */
export function rowsIn({ lat, lng }: Places, rows: Uint32Array, { south, west, north, east }: Box): Uint32Array {
  return rows.filter((row) => {
    const y = lat[row]!;
    if (y < south || y > north) return false;
    const x = lng[row]!;
    return (x >= west && x <= east) || (x + 360 >= west && x + 360 <= east) || (x - 360 >= west && x - 360 <= east);
  });
}

export const deviceNameAt = (index: FleetIndex, row: number): string => {
  const { DeviceName, DeviceId } = index.device(row);
  return DeviceName || DeviceId;
};
