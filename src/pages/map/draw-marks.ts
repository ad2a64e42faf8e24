// How one mark is drawn: a device as a disc or ring, several as a split ring with their number. Shape tells the state,
// a letter the group; colour comes on top.
import { MOST_GROUPS, OFFLINE, ONLINE, OTHER, groupOf, stateOf } from './map-fleet.ts';
import { letterOf } from './marker-colors.ts';
import type { MarkerColors } from './marker-colors.ts';

/** What the colours of the marks stand for. */
export type ColorBy = 'state' | 'group';

/** What is drawn at one place. */
export interface DrawnMark {
  /** Pixels from the top left of the map's box. */
  x: number;
  y: number;
  radius: number;
  count: number;
  /** Members by kind (map-fleet.ts). */
  kinds: Uint32Array;
  /** Members that are selected. */
  selected: number;
  /** Pointed at, or with its card open. */
  highlighted: boolean;
}

const TOP = -Math.PI / 2;
const ROUND = 2 * Math.PI;

export function drawMark(context: CanvasRenderingContext2D, mark: DrawnMark, by: ColorBy, colors: MarkerColors): void {
  drawRings(context, mark, colors);
  if (mark.count === 1) drawDevice(context, mark, by, colors);
  else drawCluster(context, mark, by, colors);
}

/** Rings round what is pointed at (whole) and what is selected (as large as its share). */
function drawRings(context: CanvasRenderingContext2D, mark: DrawnMark, colors: MarkerColors): void {
  const { x, y, radius, count, selected, highlighted } = mark;
  const ring = (distance: number, width: number, share: number) => {
    context.beginPath();
    context.arc(x, y, radius + distance, TOP, TOP + ROUND * share);
    context.strokeStyle = colors.chosen;
    context.lineWidth = width;
    context.stroke();
  };
  if (highlighted) ring(selected > 0 ? 7 : 5, 3, 1);
  if (selected > 0) ring(2.5, 3, selected / count);
}

function drawDevice(
  context: CanvasRenderingContext2D,
  { x, y, kinds, radius }: DrawnMark,
  by: ColorBy,
  colors: MarkerColors,
): void {
  const kind = kinds.findIndex((count) => count > 0);
  const state = stateOf(kind);
  const group = groupOf(kind);
  const color =
    by === 'group'
      ? (colors.groups[group] ?? colors.other)
      : ([colors.online, colors.offline, colors.other][state] ?? colors.other);
  const disc = radius - 2;
  context.beginPath();
  context.arc(x, y, radius, 0, ROUND);
  context.fillStyle = colors.halo;
  context.fill();
  context.beginPath();
  context.arc(x, y, state === ONLINE ? disc : disc - 0.75, 0, ROUND);
  if (state === ONLINE) {
    context.fillStyle = color;
    context.fill();
  } else {
    // A state that is neither has a broken ring: it is not the same as Offline.
    context.setLineDash(state === OTHER ? [2.5, 2] : []);
    context.strokeStyle = color;
    context.lineWidth = 2.25;
    context.stroke();
    context.setLineDash([]);
  }
  if (by === 'group') write(context, letterOf(group), x, y, 9.5, state === ONLINE ? colors.halo : colors.ink);
}

/** Shares clockwise from the top. By state: Online as a broad arc, the rest as a narrow one. */
function drawCluster(context: CanvasRenderingContext2D, mark: DrawnMark, by: ColorBy, colors: MarkerColors): void {
  const { x, y, radius, count } = mark;
  context.beginPath();
  context.arc(x, y, radius, 0, ROUND);
  context.fillStyle = colors.halo;
  context.fill();
  let from = TOP;
  for (const { members, color, width } of by === 'group' ? groupShares(mark, colors) : stateShares(mark, colors)) {
    const to = from + (ROUND * members) / count;
    if (to - from > 0.01) {
      context.beginPath();
      context.arc(x, y, radius - 3.5, from, to);
      context.strokeStyle = color;
      context.lineWidth = width;
      context.stroke();
    }
    from = to;
  }
  const only = by === 'group' ? onlyGroup(mark) : undefined;
  const number = count > 99_999 ? `${Math.round(count / 1000)}k` : String(count);
  const size = count > 9999 ? 10 : 11.5;
  write(context, number, x, y + (only ? 4 : 0), size, colors.ink);
  if (only) write(context, only, x, y - 6.5, 9, colors.ink);
}

function write(context: CanvasRenderingContext2D, text: string, x: number, y: number, size: number, color: string) {
  context.fillStyle = color;
  context.font = `600 ${size}px 'Inter Variable', sans-serif`;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillText(text, x, y + 0.5);
}

/** Members by state: Online, Offline, neither. */
export function statesOf(kinds: Uint32Array): [online: number, offline: number, other: number] {
  const states: [number, number, number] = [0, 0, 0];
  kinds.forEach((count, kind) => {
    const state = stateOf(kind);
    if (state === ONLINE || state === OFFLINE || state === OTHER) states[state] += count;
  });
  return states;
}

/** Members by coloured group; the last number is all the rest. */
export function groupsOf(kinds: Uint32Array): number[] {
  const groups = Array.from({ length: MOST_GROUPS + 1 }, () => 0);
  kinds.forEach((count, kind) => {
    const group = groupOf(kind);
    if (group <= MOST_GROUPS) groups[group]! += count;
  });
  return groups;
}

function stateShares({ kinds }: DrawnMark, colors: MarkerColors) {
  const [online, offline, other] = statesOf(kinds);
  return [
    { members: online, color: colors.online, width: 4.5 },
    { members: offline, color: colors.offline, width: 2 },
    { members: other, color: colors.other, width: 2 },
  ];
}

const groupShares = ({ kinds }: DrawnMark, colors: MarkerColors) =>
  groupsOf(kinds).map((members, group) => ({ members, color: colors.groups[group] ?? colors.other, width: 4 }));

/** The letter of the one group that all members are of. */
function onlyGroup({ kinds, count }: DrawnMark): string | undefined {
  const group = groupsOf(kinds).indexOf(count);
  return letterOf(group) || undefined;
}
