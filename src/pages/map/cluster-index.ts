// Clusters for any zoom from one sorted array. Points are projected once and sorted along a Z-order curve, on which
// every cell of every grid is one unbroken range: two binary searches find it, prefix sums give its centre, and a walk
// over one byte a device counts the kinds of its members.

/** Bits of the curve for each axis: cells of 64 px up to zoom 18. */
const BITS = 20;
const SIDE = 2 ** BITS;
/** The curve is sorted in two halves, since the bitwise operators hold 32 bits and not 40. */
const HALF = BITS / 2;
const HALF_SIDE = 2 ** HALF;
const RADIX = 1 << HALF;
/** One more than the largest kind of device that a point may have. */
export const KIND_COUNT = 64;
/** A kind with both of its lowest bits belongs to a device that does not exist at the time shown: a point to leave out. */
const ABSENT = 3;
export const isAbsent = (kind: number): boolean => (kind & ABSENT) === ABSENT;

/** Devices to index, as parallel arrays; `rows` are the numbers by which the caller knows them. */
export interface Points {
  rows: Uint32Array;
  /** Degrees. */
  lat: Float64Array;
  lng: Float64Array;
  /** What is counted in a cluster, below {@link KIND_COUNT}. */
  kinds: Uint8Array;
}

/** A built index as plain arrays, in the order of the curve, so that it can cross from a worker without a copy. */
export interface CurveArrays {
  rows: Uint32Array;
  kinds: Uint8Array;
  codes: Float64Array;
  /** Sums of all projected locations before each one. */
  sumX: Float64Array;
  sumY: Float64Array;
}

/** A part of the map in shares of the world's width; x may be outside 0–1, where the world repeats. */
export interface Window {
  west: number;
  north: number;
  east: number;
  south: number;
}

/** Web Mercator (EPSG:3857) as shares of the world's width, from the north-west corner. */
export function project(lat: number, lng: number): { x: number; y: number } {
  return { x: lng / 360 + 0.5, y: northing(lat) };
}

function northing(lat: number): number {
  const sine = Math.sin((Math.max(-85.0511287798, Math.min(85.0511287798, lat)) * Math.PI) / 180);
  return 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
}

/** The inverse of {@link project}, in degrees. */
export const unproject = (x: number, y: number): { lat: number; lng: number } => ({
  lat: (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI,
  lng: (x - 0.5) * 360,
});

/** The ten bits of each number, moved from bit n to bit 2n. */
const SPREAD = Uint32Array.from({ length: HALF_SIDE }, (_, value) => {
  let bits = value;
  bits = (bits | (bits << 8)) & 0x00ff00ff;
  bits = (bits | (bits << 4)) & 0x0f0f0f0f;
  bits = (bits | (bits << 2)) & 0x33333333;
  return (bits | (bits << 1)) & 0x55555555;
});

const upper = (x: number, y: number) => SPREAD[x >>> HALF]! | (SPREAD[y >>> HALF]! << 1);
const lower = (x: number, y: number) => SPREAD[x & (HALF_SIDE - 1)]! | (SPREAD[y & (HALF_SIDE - 1)]! << 1);
const curve = (x: number, y: number) => upper(x, y) * SIDE + lower(x, y);
const cellOf = (share: number) => Math.max(0, Math.min(SIDE - 1, Math.floor(share * SIDE)));

export function buildCurve({ rows, lat, lng, kinds }: Points): CurveArrays {
  const size = rows.length;
  const xs = new Float64Array(size);
  const ys = new Float64Array(size);
  const high = new Uint32Array(size);
  const low = new Uint32Array(size);
  for (let i = 0; i < size; i++) {
    const x = lng[i]! / 360 + 0.5;
    const y = northing(lat[i]!);
    xs[i] = x;
    ys[i] = y;
    const [cellX, cellY] = [cellOf(x), cellOf(y)];
    high[i] = upper(cellX, cellY);
    low[i] = lower(cellX, cellY);
  }
  const order = sortedOrder(high, low);
  const sorted: CurveArrays = {
    rows: new Uint32Array(size),
    kinds: new Uint8Array(size),
    codes: new Float64Array(size),
    sumX: new Float64Array(size + 1),
    sumY: new Float64Array(size + 1),
  };
  let [sumX, sumY] = [0, 0];
  for (let index = 0; index < size; index++) {
    const i = order[index]!;
    sorted.rows[index] = rows[i]!;
    sorted.kinds[index] = kinds[i]!;
    sorted.codes[index] = high[i]! * SIDE + low[i]!;
    sorted.sumX[index + 1] = sumX += xs[i]!;
    sorted.sumY[index + 1] = sumY += ys[i]!;
  }
  return sorted;
}

/** The points by `high` and then `low`: a radix sort, ten bits at a time from the lowest up. */
function sortedOrder(high: Uint32Array, low: Uint32Array): Uint32Array {
  const { length } = high;
  let from = new Uint32Array(length);
  let to = new Uint32Array(length);
  for (let i = 0; i < length; i++) from[i] = i;
  for (const [keys, shift] of [
    [low, 0],
    [low, HALF],
    [high, 0],
    [high, HALF],
  ] as const) {
    const starts = new Uint32Array(RADIX + 1);
    for (let i = 0; i < length; i++) starts[((keys[i]! >>> shift) & (RADIX - 1)) + 1]!++;
    for (let digit = 1; digit <= RADIX; digit++) starts[digit]! += starts[digit - 1]!;
    for (let index = 0; index < length; index++) {
      const i = from[index]!;
      to[starts[(keys[i]! >>> shift) & (RADIX - 1)]!++] = i;
    }
    [from, to] = [to, from];
  }
  return from;
}

/** One or several devices that are drawn at one point. `x` and `y` are shares of the world's width. */
export interface Cluster {
  x: number;
  y: number;
  count: number;
  /** Its members, as ranges of the curve. */
  ranges: [from: number, to: number][];
}

export class ClusterIndex {
  readonly size: number;
  /** By index on the curve. */
  readonly rows: Uint32Array;
  readonly kinds: Uint8Array;
  private readonly curve: CurveArrays;

  constructor(arrays: CurveArrays) {
    this.size = arrays.rows.length;
    this.rows = arrays.rows;
    this.kinds = arrays.kinds;
    this.curve = arrays;
  }

  /** The same points with other kinds, which the caller may change. */
  withKinds(kinds: Uint8Array): ClusterIndex {
    return new ClusterIndex({ ...this.curve, kinds });
  }

  /** The clusters in a window, from cells of size `cell`, no two of them closer than `apart`. */
  clusters({ west, north, east, south }: Window, cell: number, apart: number): Cluster[] {
    const { sumX, sumY } = this.curve;
    const level = Math.max(0, Math.min(BITS, Math.round(Math.log2(1 / cell))));
    const across = 2 ** level;
    const found: Cluster[] = [];
    for (let row = Math.max(0, Math.floor(north * across)); row < Math.min(across, south * across); row++)
      for (let column = Math.floor(west * across); column < east * across; column++) {
        const wrapped = ((column % across) + across) % across;
        const [from, to] = this.range(wrapped, row, level);
        if (from === to) continue;
        const count = to - from;
        found.push({
          x: (sumX[to]! - sumX[from]!) / count + (column - wrapped) / across,
          y: (sumY[to]! - sumY[from]!) / count,
          count,
          ranges: [[from, to]],
        });
      }
    return mergeNear(found, apart);
  }

  /** How many members of each kind, added to `into`. */
  countKinds({ ranges }: Cluster, into: Uint32Array): void {
    for (const [from, to] of ranges) for (let index = from; index < to; index++) into[this.kinds[index]!]!++;
  }

  /** The location of one point, as a share of the world's width. */
  point(index: number): { x: number; y: number } {
    const { sumX, sumY } = this.curve;
    return { x: sumX[index + 1]! - sumX[index]!, y: sumY[index + 1]! - sumY[index]! };
  }

  /** The rows inside a polygon; its corners are shares of the world's width, x as far outside 0–1 as the map shows. */
  inside(polygon: readonly { x: number; y: number }[]): number[] {
    const xs = polygon.map(({ x }) => x);
    const first = Math.floor(Math.min(...xs));
    const last = Math.floor(Math.max(...xs));
    const found: number[] = [];
    for (let index = 0; index < this.size; index++) {
      const { x, y } = this.point(index);
      // The world repeats: the polygon may be on any of its copies, or across two.
      for (let copy = first; copy <= last; copy++)
        if (isInside(polygon, x + copy, y)) {
          found.push(this.rows[index]!);
          break;
        }
    }
    return found;
  }

  /** The rows of a cluster's members, no more than `most`. */
  members({ ranges }: Cluster, most = Number.POSITIVE_INFINITY): number[] {
    const members: number[] = [];
    for (const [from, to] of ranges)
      for (let index = from; index < to && members.length < most; index++)
        if (!isAbsent(this.kinds[index]!)) members.push(this.rows[index]!);
    return members;
  }

  /** The range of the curve for one cell. */
  private range(x: number, y: number, level: number): [from: number, to: number] {
    const up = 2 ** (BITS - level);
    const start = curve(x * up, y * up);
    const from = this.firstAtLeast(start, 0);
    return [from, this.firstAtLeast(start + up * up, from)];
  }

  private firstAtLeast(code: number, from: number): number {
    const { codes } = this.curve;
    let low = from;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (codes[middle]! < code) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Whether a ray from the point crosses the outline an odd number of times. */
function isInside(polygon: readonly { x: number; y: number }[], x: number, y: number): boolean {
  let inside = false;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++) {
    const [one, two] = [polygon[i]!, polygon[j]!];
    if (one.y > y !== two.y > y && x < ((two.x - one.x) * (y - one.y)) / (two.y - one.y) + one.x) inside = !inside;
  }
  return inside;
}

/** Merges clusters that would overlap, since the borders of cells mean nothing on a map. */
function mergeNear(clusters: Cluster[], apart: number): Cluster[] {
  const distinct: Cluster[] = [];
  for (const cluster of clusters.toSorted((a, b) => b.count - a.count)) {
    const near = distinct.find((other) => Math.hypot(other.x - cluster.x, other.y - cluster.y) < apart);
    if (!near) {
      distinct.push(cluster);
      continue;
    }
    const count = near.count + cluster.count;
    near.x = (near.x * near.count + cluster.x * cluster.count) / count;
    near.y = (near.y * near.count + cluster.y * cluster.count) / count;
    near.count = count;
    near.ranges.push(...cluster.ranges);
  }
  return distinct;
}
