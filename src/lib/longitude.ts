// Longitude goes round: 180° and -180° are one meridian, and a map repeats the world to both sides. Whatever compares,
// spans or shows longitudes does it with these.

/** The same meridian at or east of another, by less than a turn. */
export const eastOf = (lng: number, west: number): number => lng + 360 * Math.ceil((west - lng) / 360);

/** The same meridian on the copy of the world on which it is nearest to another. */
export const nearestTo = (other: number, lng: number): number => eastOf(lng, other - 180);

/** `east` is never less than `west`: it goes beyond 180 where the box crosses that meridian. */
export interface Box {
  south: number;
  west: number;
  north: number;
  east: number;
}

interface Locations {
  lat: ArrayLike<number>;
  lng: ArrayLike<number>;
}

/**
 * The box that holds these rows; undefined for none. It crosses 180° where half the world then holds them all. What needs
 * more than half is shown as maps usually show the world, from -180 to 180.
 */
export function boxOf({ lat, lng }: Locations, rows: ArrayLike<number>): Box | undefined {
  if (rows.length === 0) return undefined;
  const box: Box = { south: 90, west: 180, north: -90, east: -180 };
  // An arc of up to half the world that crosses 180° is within 0 and 360.
  let [west, east] = [360, 0];
  for (let i = 0; i < rows.length; i++) {
    const y = lat[rows[i]!]!;
    const x = lng[rows[i]!]!;
    const turned = x < 0 ? x + 360 : x;
    if (y < box.south) box.south = y;
    if (y > box.north) box.north = y;
    if (x < box.west) box.west = x;
    if (x > box.east) box.east = x;
    if (turned < west) west = turned;
    if (turned > east) east = turned;
  }
  const isAcross = east - west <= 180 && east - west < box.east - box.west;
  return isAcross ? { ...box, west, east } : box;
}

export const isInside = ({ south, west, north, east }: Box, lat: number, lng: number): boolean =>
  lat >= south && lat <= north && eastOf(lng, west) <= east;

/** The same box on the copy of the world on which its middle is nearest to a meridian. */
export function boxNear(lng: number, box: Box): Box {
  const middle = (box.west + box.east) / 2;
  const moved = nearestTo(lng, middle) - middle;
  return { ...box, west: box.west + moved, east: box.east + moved };
}

/** As Leaflet takes it. */
export const boundsOf = ({ south, west, north, east }: Box): [[number, number], [number, number]] => [
  [south, west],
  [north, east],
];
