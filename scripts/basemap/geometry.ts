// The shapes the builder passes around, and the pure geometry they need. No data package is imported here.

export type Position = [number, number];
export type Line = Position[];
/** A polygon: its outer ring, then its holes. */
export type Rings = Line[];

export interface MultiLine {
  type: 'MultiLineString';
  coordinates: Line[];
}
export type Geometry =
  | { type: 'Point'; coordinates: Position }
  | { type: 'LineString'; coordinates: Line }
  | MultiLine
  | { type: 'Polygon'; coordinates: Rings }
  | { type: 'MultiPolygon'; coordinates: Rings[] };

export interface Feature {
  type: 'Feature';
  geometry: Geometry | null;
  properties: Record<string, string | number>;
}

/** A feature of the map, with the few properties the drawing rules read. */
export function feature(geometry: Geometry, properties: Feature['properties']): Feature {
  return { type: 'Feature', geometry, properties };
}

/** Every polygon of a geometry; none for points and lines. */
export function polygonsOf(geometry: Geometry | null): Rings[] {
  if (geometry?.type === 'Polygon') return [geometry.coordinates];
  return geometry?.type === 'MultiPolygon' ? geometry.coordinates : [];
}

/** Every line of a geometry; none for points and polygons. */
export function linesOf(geometry: Geometry | null): Line[] {
  if (geometry?.type === 'LineString') return [geometry.coordinates];
  return geometry?.type === 'MultiLineString' ? geometry.coordinates : [];
}

/** Area in square degrees: only ever used to compare sizes. */
export function ringArea(ring: Line): number {
  let twice = 0;
  let [px, py] = ring.at(-1) ?? [0, 0];
  for (const [x, y] of ring) {
    twice += px * y - x * py;
    [px, py] = [x, y];
  }
  return Math.abs(twice / 2);
}

/** The polygon with the largest outer ring: where a label belongs. */
export function largest(polygons: Rings[]): Rings | undefined {
  let best: Rings | undefined;
  let bestArea = -1;
  for (const polygon of polygons) {
    const area = ringArea(polygon[0] ?? []);
    if (area > bestArea) [best, bestArea] = [polygon, area];
  }
  return best;
}

/** Whether a point lies inside a ring. */
export function inside([x, y]: Position, ring: Line): boolean {
  let within = false;
  let [px, py] = ring.at(-1) ?? [0, 0];
  for (const [rx, ry] of ring) {
    if (ry > y !== py > y && x < ((px - rx) * (y - ry)) / (py - ry) + rx) within = !within;
    [px, py] = [rx, ry];
  }
  return within;
}

/**
 * Makes longitudes continuous. The land data jumps from 180 to -180 in the middle of a ring, which drawn as it is gives
 * a streak across the whole map; past ±180 the tiler wraps it round the world by itself.
 */
export function unwrapLine(line: Line): Line {
  let offset = 0;
  let previous: number | undefined;
  return line.map(([x, y]) => {
    if (previous !== undefined && x - previous > 180) offset -= 360;
    if (previous !== undefined && x - previous < -180) offset += 360;
    previous = x;
    return [x + offset, y];
  });
}

/** As unwrapLine, and a ring that goes once round a pole (Antarctica) is closed along that pole. */
export function unwrapRing(ring: Line): Line {
  const line = unwrapLine(ring);
  const first = line[0];
  const last = line.at(-1);
  if (!first || !last || Math.abs(last[0] - first[0]) < 300) return line;
  const pole = first[1] < 0 ? -90 : 90;
  return [...line, [last[0], pole], [first[0], pole], first];
}

/**
 * The parts of a ring that are coast; undefined when that is all of it. Where the data is cut at the antimeridian, and
 * along a pole, it has edges that are no coast: drawn, they would be straight lines across Chukotka and Antarctica.
 */
export function coastOf(ring: Line): Line[] | undefined {
  if (!ring.some((point, i) => i > 0 && isCut(ring[i - 1] as Position, point))) return undefined;
  const coasts: Line[] = [];
  let coast: Line = [];
  ring.forEach((point, i) => {
    const before = ring[i - 1];
    if (before && isCut(before, point)) {
      coasts.push(coast);
      coast = [];
    }
    coast.push(point);
  });
  return [...coasts, coast].filter((line) => line.length > 1);
}

function isCut(a: Position, b: Position): boolean {
  const onAntimeridian = ([x]: Position): boolean => Math.abs(Math.abs(x) - 180) < 1e-4;
  return (onAntimeridian(a) && onAntimeridian(b)) || Math.abs(a[1]) > 89.9 || Math.abs(b[1]) > 89.9;
}

/** Cuts corners twice (Chaikin): hides the coarse grid that lakes and rivers come in. */
export function smooth(line: Line, closed: boolean): Line {
  return cutCorners(cutCorners(line, closed), closed);
}

function cutCorners(line: Line, closed: boolean): Line {
  const first = line[0];
  const last = line.at(-1);
  if (!first || !last || line.length < 3) return line;
  const out: Line = closed ? [] : [first];
  for (let i = 1; i < line.length; i++) {
    const [ax, ay] = line[i - 1] as Position;
    const [bx, by] = line[i] as Position;
    out.push([ax * 0.75 + bx * 0.25, ay * 0.75 + by * 0.25], [ax * 0.25 + bx * 0.75, ay * 0.25 + by * 0.75]);
  }
  out.push(closed ? (out[0] as Position) : last);
  return out;
}
