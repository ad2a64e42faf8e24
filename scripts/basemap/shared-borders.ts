// Finds the borders that neighbouring provinces share. Each province's outline was simplified on its own, so the two
// sides of one border differ by a few hundredths of a degree: looking for identical points leaves dashes and gaps.
// Here a stretch counts as shared when another province's outline runs within a tolerance of it.
import type { Line, Position, Rings } from './geometry.ts';

type Segment = readonly [area: number, a: Position, b: Position];

/**
 * The inner borders of a country, each once. `areas[i]` holds the rings of province i; the lower-numbered province's
 * version of a border is the one returned. Coasts and the country's own border are not part of it.
 */
export function sharedBorders(areas: Rings[], tolerance: number): Line[] {
  const grid = new SegmentGrid(Math.max(0.1, tolerance * 4), tolerance);
  areas.forEach((rings, area) => rings.forEach((ring) => eachSegment(ring, (a, b) => grid.add([area, a, b]))));
  return areas.flatMap((rings, area) =>
    rings.flatMap((ring) => runs(subdivide(ring, 0.1), (p) => grid.near(p, area), tolerance * 2)),
  );
}

/** Splits long segments, so that a stretch shared only in part is judged piece by piece. */
function subdivide(ring: Line, step: number): Line {
  const out: Line = [];
  eachSegment(ring, (a, b) => {
    const pieces = Math.ceil(Math.hypot(b[0] - a[0], b[1] - a[1]) / step) || 1;
    for (let i = 0; i < pieces; i++)
      out.push([a[0] + ((b[0] - a[0]) * i) / pieces, a[1] + ((b[1] - a[1]) * i) / pieces]);
  });
  return out;
}

/** The longest stretches of a closed ring (last point not repeated) whose segments' middles pass `keep`. */
function runs(ring: Line, keep: (middle: Position) => boolean, minimum: number): Line[] {
  const at = (i: number): Position => ring[i % ring.length] as Position;
  const kept = ring.map((a, i) => keep([(a[0] + at(i + 1)[0]) / 2, (a[1] + at(i + 1)[1]) / 2]));
  const start = kept.indexOf(false);
  if (start < 0) return ring.length > 0 ? [[...ring, at(0)]] : [];
  const found: Line[] = [];
  let run: Line = [];
  for (let i = start + 1; i <= start + ring.length; i++) {
    if (kept[i % ring.length]) {
      if (run.length === 0) run.push(at(i));
      run.push(at(i + 1));
    } else if (run.length > 0) {
      found.push(run);
      run = [];
    }
  }
  return found.filter((line) => lengthOf(line) >= minimum);
}

function lengthOf(line: Line): number {
  let length = 0;
  eachSegment(line, (a, b) => (length += Math.hypot(b[0] - a[0], b[1] - a[1])));
  return length;
}

function eachSegment(line: Line, visit: (a: Position, b: Position) => void): void {
  for (let i = 1; i < line.length; i++) visit(line[i - 1] as Position, line[i] as Position);
}

/** Segments in square cells, so that "what runs close to this point" looks at a handful of them. */
class SegmentGrid {
  readonly #cells = new Map<string, Segment[]>();
  readonly #cell: number;
  readonly #tolerance: number;

  constructor(cell: number, tolerance: number) {
    this.#cell = cell;
    this.#tolerance = tolerance;
  }

  add(segment: Segment): void {
    const [, a, b] = segment;
    const index = (v: number): number => Math.floor(v / this.#cell);
    for (
      let x = index(Math.min(a[0], b[0]) - this.#tolerance);
      x <= index(Math.max(a[0], b[0]) + this.#tolerance);
      x++
    ) {
      for (
        let y = index(Math.min(a[1], b[1]) - this.#tolerance);
        y <= index(Math.max(a[1], b[1]) + this.#tolerance);
        y++
      ) {
        const key = `${x}:${y}`;
        const cell = this.#cells.get(key);
        if (cell) cell.push(segment);
        else this.#cells.set(key, [segment]);
      }
    }
  }

  /** Whether the outline of a later area runs within the tolerance of this point. */
  near(point: Position, area: number): boolean {
    const cell = this.#cells.get(`${Math.floor(point[0] / this.#cell)}:${Math.floor(point[1] / this.#cell)}`) ?? [];
    return cell.some(([other, a, b]) => other > area && distance(point, a, b) <= this.#tolerance);
  }
}

function distance(p: Position, a: Position, b: Position): number {
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
  const square = dx * dx + dy * dy;
  const t = square === 0 ? 0 : Math.max(0, Math.min(1, ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / square));
  return Math.hypot(p[0] - a[0] - t * dx, p[1] - a[1] - t * dy);
}
