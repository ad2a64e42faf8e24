// The locations of a table's devices, from the list of locations.
import type { DeviceLocation, Position } from '#/contract/devices.ts';
import { sameValues } from '#/lib/same-values.ts';
import { PLACE_KINDS } from './filter.ts';
import type { Places } from './columns.ts';
import { STEP } from './sort.ts';
import type { Table } from './table.ts';

/** 0/0 means "never set" in the API (v1.md, "Device location"). */
const kindOf = (lat: number, lng: number) =>
  lat === 0 && lng === 0
    ? PLACE_KINDS.unplaced
    : Math.abs(lat) <= 90 && Math.abs(lng) <= 180
      ? PLACE_KINDS.placed
      : PLACE_KINDS.invalid;

/**
 * The table with these locations; the same table if nothing moved. Locations of devices that are not in the listing
 * are ignored.
 */
export function* placeSteps(table: Table, locations: DeviceLocation[]): Generator<void, Table> {
  const { size, rowOf, alive, places } = table;
  const lat = new Float64Array(size);
  const lng = new Float64Array(size);
  const kind = new Uint8Array(size);
  for (let i = 0; i < locations.length; i++) {
    if (i % STEP === 0) yield;
    const { DeviceId, Lat, Lng } = locations[i]!;
    const row = rowOf.get(DeviceId);
    if (row === undefined || alive[row] !== 1) continue;
    lat[row] = Lat;
    lng[row] = Lng;
    kind[row] = kindOf(Lat, Lng);
  }
  yield;
  if (places && sameValues(places.lat, lat) && sameValues(places.lng, lng)) return table;
  return { ...table, places: { lat, lng, kind } };
}

/** The table with some devices moved; the same table if none of them moved. */
export function withPlaces(table: Table, moves: readonly (readonly [row: number, at: Position])[]): Table {
  const { places, size } = table;
  if (!places) return table;
  const isMoved = ([row, { Lat, Lng }]: (typeof moves)[number]) =>
    (places.lat[row] ?? 0) !== Lat || (places.lng[row] ?? 0) !== Lng;
  if (places.lat.length === size && !moves.some(isMoved)) return table;
  const grown = <Values extends Float64Array | Uint8Array>(values: Values): Values => {
    const copy = new (values.constructor as new (length: number) => Values)(size);
    copy.set(values);
    return copy;
  };
  const next: Places = { lat: grown(places.lat), lng: grown(places.lng), kind: grown(places.kind) };
  for (const [row, { Lat, Lng }] of moves) {
    next.lat[row] = Lat;
    next.lng[row] = Lng;
    next.kind[row] = kindOf(Lat, Lng);
  }
  return { ...table, places: next };
}
