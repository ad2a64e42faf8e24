// Clusters of any zoom out of one sorted array. Points are projected once and sorted along a Z-order curve, on which
// every cell of every grid is one unbroken range: two binary searches find it, prefix sums give its count, its centre
// and how many are Online, whatever the number of points.

/** Bits of the curve for each axis: cells of 64 px up to zoom 18. */
const BITS = 20;
const SIDE = 2 ** BITS;

/** Devices as parallel arrays; `lat` and `lng` in degrees. */
export interface Points {
  lat: ArrayLike<number>;
  lng: ArrayLike<number>;
  online: ArrayLike<number | boolean>;
}

/** Web Mercator (EPSG:3857) as shares of the world's width, from the north-west corner. */
export function project(lat: number, lng: number): { x: number; y: number } {
  const sine = Math.sin((Math.max(-85.0511287798, Math.min(85.0511287798, lat)) * Math.PI) / 180);
  return { x: lng / 360 + 0.5, y: 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI) };
}

/** The inverse of {@link project}, in degrees. */
export const unproject = (x: number, y: number): { lat: number; lng: number } => ({
  lat: (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI,
  lng: (x - 0.5) * 360,
});

/** Place of a cell on the curve; a sum, since 40 bits are more than the bitwise operators hold. */
function curve(x: number, y: number): number {
  let code = 0;
  let weight = 1;
  let restX = x;
  let restY = y;
  while (restX > 0 || restY > 0) {
    code += ((restX & 1) + 2 * (restY & 1)) * weight;
    weight *= 4;
    restX >>>= 1;
    restY >>>= 1;
  }
  return code;
}

/** What is drawn at one place: one device, or several. `x` and `y` are shares of the world's width. */
export interface Cluster {
  x: number;
  y: number;
  count: number;
  online: number;
  /** Ranges in {@link ClusterIndex.order} that hold its members. */
  ranges: [from: number, to: number][];
}

export interface ClusterIndex {
  size: number;
  /** Index into the points, in the order of the curve. */
  order: Uint32Array;
  /**
   * What is in a window of the map (shares of the world's width; x may lie outside 0–1 where the world repeats), with
   * cells of `cell` and no two closer than `apart`.
   */
  clusters: (
    window: { west: number; north: number; east: number; south: number },
    cell: number,
    apart: number,
  ) => Cluster[];
}

export function buildClusterIndex({ lat, lng, online }: Points): ClusterIndex {
  const size = lat.length;
  const codes = new Float64Array(size);
  const xs = new Float64Array(size);
  const ys = new Float64Array(size);
  for (let i = 0; i < size; i++) {
    const { x, y } = project(lat[i] ?? 0, lng[i] ?? 0);
    xs[i] = x;
    ys[i] = y;
    codes[i] = curve(Math.min(SIDE - 1, Math.floor(x * SIDE)), Math.min(SIDE - 1, Math.floor(y * SIDE)));
  }
  const order = Uint32Array.from({ length: size }, (_, i) => i).sort((a, b) => codes[a]! - codes[b]!);
  const sorted = new Float64Array(size);
  const sumX = new Float64Array(size + 1);
  const sumY = new Float64Array(size + 1);
  const sumOnline = new Uint32Array(size + 1);
  order.forEach((i, place) => {
    sorted[place] = codes[i]!;
    sumX[place + 1] = sumX[place]! + xs[i]!;
    sumY[place + 1] = sumY[place]! + ys[i]!;
    sumOnline[place + 1] = sumOnline[place]! + (online[i] ? 1 : 0);
  });

  const firstAtLeast = (code: number, from: number) => {
    let low = from;
    let high = size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (sorted[middle]! < code) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  const clusters: ClusterIndex['clusters'] = ({ west, north, east, south }, cell, apart) => {
    const level = Math.max(0, Math.min(BITS, Math.round(Math.log2(1 / cell))));
    const across = 2 ** level;
    const span = 4 ** (BITS - level);
    const found: Cluster[] = [];
    for (let row = Math.max(0, Math.floor(north * across)); row < Math.min(across, south * across); row++)
      for (let column = Math.floor(west * across); column < east * across; column++) {
        const wrapped = ((column % across) + across) % across;
        const start = curve(wrapped, row) * span;
        const from = firstAtLeast(start, 0);
        const to = firstAtLeast(start + span, from);
        if (from === to) continue;
        const count = to - from;
        found.push({
          x: (sumX[to]! - sumX[from]!) / count + (column - wrapped) / across,
          y: (sumY[to]! - sumY[from]!) / count,
          count,
          online: sumOnline[to]! - sumOnline[from]!,
          ranges: [[from, to]],
        });
      }
    return mergeNear(found, apart);
  };
  return { size, order, clusters };
}

/** Cells meet at borders that mean nothing on a map: what would overlap becomes one, the larger taking the smaller. */
function mergeNear(clusters: Cluster[], apart: number): Cluster[] {
  const kept: Cluster[] = [];
  for (const cluster of clusters.toSorted((a, b) => b.count - a.count)) {
    const near = kept.find((other) => Math.hypot(other.x - cluster.x, other.y - cluster.y) < apart);
    if (!near) {
      kept.push(cluster);
      continue;
    }
    const count = near.count + cluster.count;
    near.x = (near.x * near.count + cluster.x * cluster.count) / count;
    near.y = (near.y * near.count + cluster.y * cluster.count) / count;
    near.count = count;
    near.online += cluster.online;
    near.ranges.push(...cluster.ranges);
  }
  return kept;
}
