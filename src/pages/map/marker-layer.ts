// The fleet on one canvas above the base map: discs, rings, and clusters as split rings. It draws only what is in the
// window, so that a pan costs the same with a hundred devices and a hundred thousand.
import L from 'leaflet';
import type { Cluster, ClusterIndex } from './cluster-index.ts';
import { unproject } from './cluster-index.ts';
import type { MapDevice } from './placed-devices.ts';

/** Colours of the scheme, as CSS colours. */
export interface MarkerColors {
  online: string;
  offline: string;
  other: string;
  halo: string;
  ink: string;
  chosen: string;
}

/** A mark on the canvas: one device, or several with their shared centre. */
export interface Mark {
  at: L.LatLng;
  /** Pixels from the top left of the map's box. */
  x: number;
  y: number;
  radius: number;
  online: number;
  members: MapDevice[];
}

const TILE = 256;
const CELL = 76;
const APART = 42;
/** Drawn beyond the box, so that a mark on the edge is whole and the start of a pan shows no gap. */
const MARGIN = 40;
/** Members of a cluster are only looked up when someone points at it; a mark on the canvas keeps its ranges. */
type Drawn = Omit<Mark, 'members'> & { cluster: Cluster };

export class MarkerLayer extends L.Layer {
  private canvas = L.DomUtil.create('canvas', 'leaflet-zoom-animated');
  private drawn: Drawn[] = [];
  private origin = L.latLng(0, 0);
  private zoom = 0;
  private index: ClusterIndex | undefined;
  private devices: MapDevice[] = [];
  private colors: MarkerColors | undefined;
  private highlighted: string | undefined;

  /** The devices to draw; `index` was built from them, in the same order. */
  show(devices: MapDevice[], index: ClusterIndex): void {
    this.devices = devices;
    this.index = index;
    this.draw();
  }

  paint(colors: MarkerColors): void {
    this.colors = colors;
    this.draw();
  }

  /** Rings the mark that holds this device. */
  highlight(deviceId: string | undefined): void {
    if (this.highlighted === deviceId) return;
    this.highlighted = deviceId;
    this.draw();
  }

  /** The topmost mark at a point of the map's box, in pixels. */
  markAt(point: L.Point): Mark | undefined {
    const drawn = this.drawn.findLast(({ x, y, radius }) => Math.hypot(x - point.x, y - point.y) <= radius + 4);
    return drawn && this.withMembers(drawn);
  }

  private withMembers({ cluster, ...mark }: Drawn): Mark {
    return { ...mark, members: this.membersOf(cluster) };
  }

  private membersOf({ ranges }: Cluster): MapDevice[] {
    return ranges.flatMap(([from, to]) =>
      Array.from(this.index?.order.subarray(from, to) ?? [], (i) => this.devices[i]).filter(
        (device) => device !== undefined,
      ),
    );
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

  private draw(): void {
    const map: L.Map | undefined = this._map;
    const context = this.canvas.getContext('2d');
    if (!map || !this.index || !this.colors || !context) return;
    const size = map.getSize().add([2 * MARGIN, 2 * MARGIN]);
    const ratio = window.devicePixelRatio || 1;
    if (this.canvas.width !== size.x * ratio || this.canvas.height !== size.y * ratio) {
      this.canvas.width = size.x * ratio;
      this.canvas.height = size.y * ratio;
      this.canvas.style.width = `${size.x}px`;
      this.canvas.style.height = `${size.y}px`;
    }
    const corner = map.containerPointToLayerPoint([-MARGIN, -MARGIN]);
    L.DomUtil.setPosition(this.canvas, corner);
    this.origin = map.layerPointToLatLng(corner);
    this.zoom = map.getZoom();

    const world = TILE * 2 ** this.zoom;
    const { min, max } = map.getPixelBounds() as { min: L.Point; max: L.Point };
    const clusters = this.index.clusters(
      {
        west: (min.x - MARGIN) / world,
        north: (min.y - MARGIN) / world,
        east: (max.x + MARGIN) / world,
        south: (max.y + MARGIN) / world,
      },
      CELL / world,
      APART / world,
    );
    context.setTransform(ratio, 0, 0, ratio, MARGIN * ratio, MARGIN * ratio);
    context.clearRect(-MARGIN, -MARGIN, size.x, size.y);
    // The larger are found first; drawn last they lie on top.
    this.drawn = clusters.toReversed().map((cluster) => {
      const { lat, lng } = unproject(cluster.x, cluster.y);
      const radius = cluster.count === 1 ? 7 : 14 + Math.min(12, Math.log2(cluster.count));
      const { online } = cluster;
      return {
        at: L.latLng(lat, lng),
        x: cluster.x * world - min.x,
        y: cluster.y * world - min.y,
        radius,
        online,
        cluster,
      };
    });
    for (const mark of this.drawn) this.drawMark(context, mark, this.colors);
  }

  private drawMark(context: CanvasRenderingContext2D, mark: Drawn, colors: MarkerColors): void {
    const { x, y, radius, online, cluster } = mark;
    const members = this.highlighted || cluster.count === 1 ? this.membersOf(cluster) : [];
    if (this.highlighted && members.some(({ device }) => device.DeviceId === this.highlighted)) {
      context.beginPath();
      context.arc(x, y, radius + 5, 0, 2 * Math.PI);
      context.strokeStyle = colors.chosen;
      context.lineWidth = 3;
      context.stroke();
    }
    if (cluster.count === 1) drawDevice(context, mark, members[0]?.device.DeviceStatus ?? '', colors);
    else drawCluster(context, { x, y, radius }, online, cluster.count, colors);
  }
}

function drawDevice(
  context: CanvasRenderingContext2D,
  { x, y }: { x: number; y: number },
  status: string,
  colors: MarkerColors,
): void {
  const isOnline = status === 'Online';
  context.beginPath();
  context.arc(x, y, 7, 0, 2 * Math.PI);
  context.fillStyle = colors.halo;
  context.fill();
  context.beginPath();
  context.arc(x, y, isOnline ? 5 : 4.25, 0, 2 * Math.PI);
  if (isOnline) {
    context.fillStyle = colors.online;
    context.fill();
    return;
  }
  // A state that is neither has a broken ring: it is not the same as Offline.
  context.setLineDash(status === 'Offline' ? [] : [2.5, 2]);
  context.strokeStyle = status === 'Offline' ? colors.offline : colors.other;
  context.lineWidth = 2.25;
  context.stroke();
  context.setLineDash([]);
}

/** The Online share clockwise from the top as a broad arc, the rest as a narrow one, the count inside. */
function drawCluster(
  context: CanvasRenderingContext2D,
  { x, y, radius }: { x: number; y: number; radius: number },
  online: number,
  count: number,
  colors: MarkerColors,
): void {
  const top = -Math.PI / 2;
  const split = top + (2 * Math.PI * online) / count;
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fillStyle = colors.halo;
  context.fill();
  const arc = (from: number, to: number, color: string, width: number) => {
    if (to - from < 0.01) return;
    context.beginPath();
    context.arc(x, y, radius - 3.5, from, to);
    context.strokeStyle = color;
    context.lineWidth = width;
    context.stroke();
  };
  arc(split, top + 2 * Math.PI, colors.offline, 2);
  arc(top, split, colors.online, 4.5);
  context.fillStyle = colors.ink;
  context.font = `600 ${count > 9999 ? 10 : 11.5}px 'Inter Variable', sans-serif`;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillText(count > 99_999 ? `${Math.round(count / 1000)}k` : String(count), x, y + 0.5);
}
