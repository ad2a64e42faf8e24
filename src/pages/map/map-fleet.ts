// The fleet as the map needs it: rows of the fleet index by location, and one byte for each that says how it is drawn.
// Typed arrays throughout, since there may be a million devices.
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import type { Places } from '#/fleet/columns.ts';
import { isInside, type Box } from '#/lib/longitude.ts';
import type { Points } from './cluster-index.ts';
import type { NumberOf } from './colouring.ts';

export const ONLINE = 0;
export const OFFLINE = 1;
/** Neither: not connected yet, any other state of a service, and in a replay a time when the service was down. */
export const OTHER = 2;

/** How a device is drawn, in one byte: its state in the lowest two bits, the number of its group or version above. */
export const stateOfKind = (kind: number): number => kind & 3;
export const numberOfKind = (kind: number): number => kind >> 2;

/** Rows between two checks of the clock. */
const STEP = 4096;

/** In arrays of their own, so that they can move to a worker. */
export function* pointSteps(
  status: ReturnType<FleetIndex['coded']>,
  places: Places,
  rows: Uint32Array,
  numberOf: NumberOf,
): Generator<void, Points> {
  const { length } = rows;
  const lat = new Float64Array(length);
  const lng = new Float64Array(length);
  const kinds = new Uint8Array(length);
  const states = status?.texts.map((text) => (text === 'Online' ? ONLINE : text === 'Offline' ? OFFLINE : OTHER));
  for (let i = 0; i < length; i++) {
    if (i % STEP === 0) yield;
    const row = rows[i]!;
    lat[i] = places.lat[row]!;
    lng[i] = places.lng[row]!;
    kinds[i] = (states?.[status!.code(row)] ?? OTHER) | (numberOf(row, i) << 2);
  }
  return { rows: rows.slice(), lat, lng, kinds };
}

/** Rows by whether they can be drawn: those that have a location, and those with an invalid one or none, in that order. */
export function byLocation({ kind }: Places, rows: Uint32Array): { placed: Uint32Array; other: Uint32Array } {
  const ends = [0, 0, 0];
  for (let i = 0; i < rows.length; i++) ends[kind[rows[i]!]!]!++;
  const [unplaced = 0, some = 0, invalid = 0] = ends;
  if (some === rows.length) return { placed: rows, other: new Uint32Array(0) };
  const placed = new Uint32Array(some);
  const other = new Uint32Array(invalid + unplaced);
  const next = [invalid, 0, 0];
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!;
    (kind[row] === 1 ? placed : other)[next[kind[row]!]!++] = row;
  }
  return { placed, other };
}

/** How far the map zooms in automatically: any closer, the built-in coast is jagged. Users can zoom in further. */
export const CLOSEST = 9;

/** The rows inside a box. */
export const rowsIn = ({ lat, lng }: Places, rows: Uint32Array, box: Box): Uint32Array =>
  rows.filter((row) => isInside(box, lat[row]!, lng[row]!));

export const deviceNameAt = (index: FleetIndex, row: number): string => {
  const { DeviceName, DeviceId } = index.device(row);
  return DeviceName || DeviceId;
};
