// The fleet on one canvas above the base map. It draws only what is near the window, so that a pan costs the same with a
// hundred devices and a hundred thousand.
import L from 'leaflet';
import { KIND_COUNT, isAbsent, type Cluster, type ClusterIndex, type Window } from './cluster-index.ts';
import { drawMark, drawName, keepInside, type DrawnMark } from './draw-marks.ts';
import type { ColorBy, MarkerColors } from './marker-colors.ts';

/** A mark on the canvas: one device or a cluster. */
export interface Mark extends DrawnMark {
  cluster: Cluster;
}

const TILE = 256;
const CELL = 76;
const APART = 42;
/** Drawn beyond the box, so that marks on the edge are complete and a pan starts without a gap. */
const MARGIN = 40;
/** Marks are computed for a window that is larger by up to this many pixels, and reused until the map leaves it. */
const BLOCK = 4 * CELL;

/** From this zoom on single devices show their names, unless there are too many. */
const NAMES_FROM = 11;
const MOST_NAMES = 80;
/** Up to this zoom a mark at the edge is moved into view: from so far away a few pixels mean nothing. */
const WORLD = 4;

/** A mark before it has a position on the screen; `x` and `y` are shares of the world's width. */
type Found = Omit<Mark, 'highlighted'>;

const holds = ({ cluster }: Pick<Mark, 'cluster'>, point: number): boolean =>
  cluster.ranges.some(([from, to]) => from <= point && point < to);

export class MarkerLayer extends L.Layer {
  private canvas = L.DomUtil.create('canvas', 'leaflet-zoom-animated');
  private drawn: Mark[] = [];
  private found: { of: string; clusters: Cluster[]; marks: Found[] } | undefined;
  private origin = L.latLng(0, 0);
  private zoom = 0;
  private index: ClusterIndex | undefined;
  private nameOf: (row: number) => string = () => '';
  private colors: MarkerColors | undefined;
  private by: ColorBy = 'state';
  private highlighted: number | undefined;
  private selectedRows: ReadonlySet<number> = new Set();
  /** 1 for each selected point of the curve; undefined if nothing is selected. */
  private selected: Uint8Array | undefined;
  /** The point of the curve for each row. */
  private points: Int32Array | undefined;

  /** Sets the devices to draw, and their names. */
  show(index: ClusterIndex | undefined, nameOf: (row: number) => string): void {
    this.index = index;
    this.nameOf = nameOf;
    this.points = undefined;
    this.markSelected();
  }

  paint(colors: MarkerColors, by: ColorBy): void {
    this.colors = colors;
    this.by = by;
    this.found = undefined;
    this.draw();
  }

  highlight(row: number | undefined): void {
    if (this.highlighted === row) return;
    this.highlighted = row;
    this.draw();
  }

  /** Rings the marks that contain selected rows; the arc is their share. */
  select(rows: ReadonlySet<number>): void {
    this.selectedRows = rows;
    this.markSelected();
  }

  /** Draws the marks again after the kinds of devices have changed, but not where they are. */
  recount(): void {
    if (this.found) this.found.marks = this.marksOf(this.found.clusters);
    this.draw();
  }

  /** The topmost mark at a point of the map's box, in pixels. */
  markAt(point: L.Point): Mark | undefined {
    return this.drawn.findLast(({ x, y, radius }) => Math.hypot(x - point.x, y - point.y) <= radius + 4);
  }

  markOf(row: number): Mark | undefined {
    const point = this.pointOf(row);
    return point < 0 ? undefined : this.drawn.find((mark) => holds(mark, point));
  }

  override onAdd(map: L.Map): this {
    this.canvas.setAttribute('aria-hidden', 'true');
    map.getPane('overlayPane')?.append(this.canvas);
    this.draw();
    return this;
  }

  override onRemove(): this {
    this.canvas.remove();
    return this;
  }

  override getEvents(): Record<string, L.LeafletEventHandlerFn> {
    const draw = () => this.draw();
    const follow = ((event: L.ZoomAnimEvent) => this.follow(event)) as L.LeafletEventHandlerFn;
    return { move: draw, moveend: draw, viewreset: draw, resize: draw, zoomend: draw, zoomanim: follow };
  }

  /** Stretches what is drawn along with the tiles while a zoom is animated. */
  private follow({ center, zoom }: L.ZoomAnimEvent): void {
    const map = this._map;
    const pane = L.DomUtil.getPosition(map.getPanes().mapPane);
    const topLeft = map.project(center, zoom).subtract(map.getSize().divideBy(2)).add(pane).round();
    L.DomUtil.setTransform(
      this.canvas,
      map.project(this.origin, zoom).subtract(topLeft),
      map.getZoomScale(zoom, this.zoom),
    );
  }

  private markSelected(): void {
    this.found = undefined;
    this.selected = undefined;
    if (this.index && this.selectedRows.size > 0) {
      this.selected = new Uint8Array(this.index.size);
      for (const row of this.selectedRows) {
        const point = this.pointOf(row);
        if (point >= 0) this.selected[point] = 1;
      }
    }
    this.draw();
  }

  /** The point of the curve for a row; -1 if it is not drawn. */
  private pointOf(row: number): number {
    const { rows } = this.index ?? {};
    if (!this.points && rows) {
      this.points = new Int32Array(rows.reduce((most, each) => Math.max(most, each + 1), 0)).fill(-1);
      for (let point = 0; point < rows.length; point++) this.points[rows[point]!] = point;
    }
    return this.points?.[row] ?? -1;
  }

  /** The marks in and near a window of the map, the largest last. */
  private marksNear(window: Window, world: number): Found[] {
    const index = this.index!;
    const block = BLOCK / world;
    const [west, north] = [Math.floor(window.west / block) - 1, Math.floor(window.north / block) - 1];
    const [east, south] = [Math.ceil(window.east / block) + 1, Math.ceil(window.south / block) + 1];
    const of = [world, west, north, east, south].join();
    if (this.found?.of === of) return this.found.marks;
    const blocks = { west: west * block, north: north * block, east: east * block, south: south * block };
    const clusters = index.clusters(blocks, CELL / world, APART / world);
    this.found = { of, clusters, marks: this.marksOf(clusters) };
    return this.found.marks;
  }

  /** The marks of clusters, which come with the largest first; drawn last they are on top. */
  private marksOf(clusters: readonly Cluster[]): Found[] {
    const index = this.index!;
    const marks: Found[] = [];
    for (const cluster of clusters.toReversed()) {
      const { x, y, ranges } = cluster;
      let { count } = cluster;
      const kinds = new Uint32Array(KIND_COUNT);
      index.countKinds(cluster, kinds);
      for (let kind = 0; kind < KIND_COUNT; kind++) {
        if (!isAbsent(kind)) continue;
        count -= kinds[kind]!;
        kinds[kind] = 0;
      }
      if (count === 0) continue;
      let selected = 0;
      if (this.selected)
        for (const [from, to] of ranges) for (let point = from; point < to; point++) selected += this.selected[point]!;
      const alone = this.by !== 'state' ? 9.5 : this.zoom < NAMES_FROM ? 7 : 8;
      const radius = count > 1 ? 14 + Math.min(12, Math.log2(count)) : alone;
      marks.push({ x, y, count, radius, kinds, selected, cluster });
    }
    return marks;
  }

  private draw(): void {
    const map: L.Map | undefined = this._map;
    const context = this.canvas.getContext('2d');
    if (!map || !this.colors || !context) return;
    const size = map.getSize().add([2 * MARGIN, 2 * MARGIN]);
    const ratio = window.devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(size.x * ratio) || this.canvas.height !== Math.round(size.y * ratio)) {
      this.canvas.width = Math.round(size.x * ratio);
      this.canvas.height = Math.round(size.y * ratio);
      this.canvas.style.width = `${size.x}px`;
      this.canvas.style.height = `${size.y}px`;
    }
    const corner = map.containerPointToLayerPoint([-MARGIN, -MARGIN]);
    L.DomUtil.setPosition(this.canvas, corner);
    this.origin = map.layerPointToLatLng(corner);
    this.zoom = map.getZoom();
    context.setTransform(ratio, 0, 0, ratio, MARGIN * ratio, MARGIN * ratio);
    context.clearRect(-MARGIN, -MARGIN, size.x, size.y);
    this.drawn = [];
    if (!this.index) return;

    const world = TILE * 2 ** this.zoom;
    const { min, max } = map.getPixelBounds() as { min: L.Point; max: L.Point };
    const near = this.marksNear(
      { west: min.x / world, north: min.y / world, east: max.x / world, south: max.y / world },
      world,
    );
    const highlighted = this.highlighted === undefined ? -1 : this.pointOf(this.highlighted);
    for (const found of near) {
      let [x, y] = [found.x * world - min.x, found.y * world - min.y];
      if (this.zoom <= WORLD) {
        x = keepInside(x, found.radius + 2, size.x - 2 * MARGIN);
        y = keepInside(y, found.radius + 2, size.y - 2 * MARGIN);
      }
      if (x < -MARGIN || y < -MARGIN || x > size.x - MARGIN || y > size.y - MARGIN) continue;
      const isHighlighted = highlighted >= 0 && holds(found, highlighted);
      const mark = { ...found, x, y, highlighted: isHighlighted };
      this.drawn.push(mark);
      drawMark(context, mark, this.by, this.colors);
    }
    this.drawNames(context, this.colors);
  }

  private drawNames(context: CanvasRenderingContext2D, colors: MarkerColors): void {
    const alone = this.drawn.filter(({ count }) => count === 1);
    if (this.zoom < NAMES_FROM || alone.length > MOST_NAMES) return;
    const taken = this.drawn.map(({ x, y, radius: r }) => ({ left: x - r, top: y - r, right: x + r, bottom: y + r }));
    for (const mark of alone) {
      const [row] = this.index?.members(mark.cluster, 1) ?? [];
      if (row !== undefined) drawName(context, mark, this.nameOf(row), colors, taken);
    }
  }
}
