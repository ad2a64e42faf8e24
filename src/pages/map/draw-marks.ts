// How one mark is drawn: a device as a disc or ring, several as a split ring with their number. Shape shows the state,
// a letter the group or version; colour is only added.
import { formatCount } from '#/lib/format.ts';
import { NONE, NUMBERS, REST } from './colouring.ts';
import { OFFLINE, ONLINE, OTHER, numberOfKind, stateOfKind } from './map-fleet.ts';
import { letterOf, type ColorBy, type MarkerColors } from './marker-colors.ts';

export interface DrawnMark {
  /** Pixels from the top left of the map's box. */
  x: number;
  y: number;
  radius: number;
  count: number;
  /** Members by kind (map-fleet.ts). */
  kinds: Uint32Array;
  selected: number;
  /** Hovered, or with its card open. */
  highlighted: boolean;
}

const TOP = -Math.PI / 2;
const ROUND = 2 * Math.PI;
/** Pixels between two arcs of a ring. */
const GAP = 2;
/** The smallest arc, so that one Offline device in a thousand can be seen. */
const LEAST = 5;
const MOST_LETTERS = 28;

export function drawMark(context: CanvasRenderingContext2D, mark: DrawnMark, by: ColorBy, colors: MarkerColors): void {
  drawRings(context, mark, colors);
  if (mark.count === 1) drawDevice(context, mark, by, colors);
  else drawCluster(context, mark, by, colors);
}

/** Rings around a highlighted mark, and around selected devices: an arc as large as their share. */
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

function fillDisc(context: CanvasRenderingContext2D, { x, y, radius }: DrawnMark, color: string): void {
  context.beginPath();
  context.arc(x, y, radius, 0, ROUND);
  context.fillStyle = color;
  context.fill();
}

function drawDevice(context: CanvasRenderingContext2D, mark: DrawnMark, by: ColorBy, colors: MarkerColors): void {
  const { x, y, kinds, radius } = mark;
  const kind = kinds.findIndex((count) => count > 0);
  const state = stateOfKind(kind);
  const number = numberOfKind(kind);
  const tone = toneOf(by, number, colors);
  const color = by === 'state' ? ([colors.online, colors.offline, colors.other][state] ?? colors.other) : tone.fill;
  const disc = radius - 2;
  fillDisc(context, mark, colors.halo);
  context.beginPath();
  context.arc(x, y, state === ONLINE ? disc : disc - 0.75, 0, ROUND);
  if (state === ONLINE) {
    context.fillStyle = color;
    context.fill();
  } else {
    // Any other state has a dashed ring, since it is not Offline.
    context.setLineDash(state === OTHER ? [2.5, 2] : []);
    context.strokeStyle = color;
    context.lineWidth = 2.25;
    context.stroke();
    context.setLineDash([]);
  }
  if (by !== 'state') write(context, markOf(by, number), x, y, 9.5, state === ONLINE ? tone.letter : colors.ink);
}

/** Shares clockwise from the top. By state: Online as a broad arc, Offline as a narrow one, any other as a dashed one. */
function drawCluster(context: CanvasRenderingContext2D, mark: DrawnMark, by: ColorBy, colors: MarkerColors): void {
  const { x, y, radius, count } = mark;
  fillDisc(context, mark, colors.halo);
  const shares = (by === 'state' ? stateShares(mark, colors) : numberShares(mark, by, colors)).filter(
    ({ members }) => members > 0,
  );
  const ring = radius - 3.5;
  arcsOf(
    shares.map(({ members }) => members / count),
    GAP / ring,
    LEAST / ring,
  ).forEach(([from, to], share) => {
    const { color, width, dash = [] } = shares[share]!;
    context.beginPath();
    context.arc(x, y, ring, TOP + from, TOP + to);
    context.setLineDash(dash);
    context.strokeStyle = color;
    context.lineWidth = width;
    context.stroke();
  });
  context.setLineDash([]);
  const only = by !== 'state' && onlyNumber(mark, by);
  write(context, numberOf(count), x, y + (only ? 4 : 0), count > 999 ? 11 : 11.5, colors.ink);
  if (only) write(context, only, x, y - 6.5, 9, colors.ink);
}

/** As short as fits a ring: 950, 1,918, 12k, 1.2M. */
export function numberOf(count: number): string {
  if (count < 10_000) return formatCount(count);
  return count < 999_500 ? `${Math.round(count / 1000)}k` : `${Number((count / 1e6).toFixed(1))}M`;
}

/** The start and end of each arc of a ring, clockwise from its top, in radians. A single arc is the full ring. */
export function arcsOf(shares: readonly number[], gap: number, least: number): [from: number, to: number][] {
  if (shares.length < 2) return shares.map(() => [0, ROUND]);
  const room = ROUND - shares.length * gap;
  const wanted = shares.map((share) => Math.max(least, share * room));
  const scale = room / wanted.reduce((sum, arc) => sum + arc, 0);
  let next = gap / 2;
  return wanted.map((arc) => {
    const from = next;
    next += arc * scale + gap;
    return [from, from + arc * scale];
  });
}

/** The centre of a mark, moved so that no edge of the map cuts it; unchanged if the mark is out of view. */
export const keepInside = (at: number, radius: number, size: number): number =>
  at < -radius || at > size + radius || size < 2 * radius ? at : Math.min(Math.max(at, radius), size - radius);

export interface Taken {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Writes a device's name beside its mark if there is space, which is then added to `taken`. */
export function drawName(
  context: CanvasRenderingContext2D,
  { x, y, radius }: DrawnMark,
  name: string,
  colors: MarkerColors,
  taken: Taken[],
): void {
  const text = name.length > MOST_LETTERS ? `${name.slice(0, MOST_LETTERS - 1)}…` : name;
  context.font = `500 12px 'Inter Variable', sans-serif`;
  const left = x + radius + 4;
  const box = { left, top: y - 8, right: left + context.measureText(text).width, bottom: y + 8 };
  if (taken.some((it) => it.left < box.right && box.left < it.right && it.top < box.bottom && box.top < it.bottom))
    return;
  taken.push(box);
  // A town's name beneath it would make both unreadable.
  context.globalAlpha = 0.86;
  context.fillStyle = colors.halo;
  context.beginPath();
  context.roundRect(box.left - 3, box.top - 1, box.right - box.left + 6, box.bottom - box.top + 2, 4);
  context.fill();
  context.globalAlpha = 1;
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  context.lineJoin = 'round';
  context.lineWidth = 3;
  context.strokeStyle = colors.halo;
  context.strokeText(text, left, y + 0.5);
  context.fillStyle = colors.ink;
  context.fillText(text, left, y + 0.5);
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
    const state = stateOfKind(kind);
    if (state === ONLINE || state === OFFLINE || state === OTHER) states[state] += count;
  });
  return states;
}

/** Members by the number of their group or version. */
export function numbersOf(kinds: Uint32Array): number[] {
  const numbers = Array.from({ length: NUMBERS }, () => 0);
  kinds.forEach((count, kind) => {
    const number = numberOfKind(kind);
    if (number < NUMBERS) numbers[number]! += count;
  });
  return numbers;
}

/** The colours of a group's or version's number. */
export function toneOf(by: ColorBy, number: number, colors: MarkerColors): { fill: string; letter: string } {
  if (by === 'version' && number < REST) return colors.versions[number] ?? { fill: colors.rest, letter: colors.halo };
  const fill = number === NONE ? colors.none : (colors.groups[number] ?? colors.rest);
  return { fill, letter: colors.halo };
}

/** The letter of a group or version. Of versions the rest has a sign too, which tells it from devices without any. */
export const markOf = (by: ColorBy, number: number): string =>
  by === 'version' && number === REST ? '+' : letterOf(number);

interface Share {
  members: number;
  color: string;
  width: number;
  dash?: number[];
}

function stateShares({ kinds }: DrawnMark, colors: MarkerColors): Share[] {
  const [online, offline, other] = statesOf(kinds);
  return [
    { members: online, color: colors.online, width: 4.5 },
    { members: offline, color: colors.offline, width: 2 },
    { members: other, color: colors.other, width: 2, dash: [2.5, 2] },
  ];
}

const numberShares = ({ kinds }: DrawnMark, by: ColorBy, colors: MarkerColors): Share[] =>
  numbersOf(kinds).map((members, number) => ({
    members,
    color: toneOf(by, number, colors).fill,
    width: number === NONE ? 1.5 : 4,
  }));

/** The letter of the group or version, if it is that of all members. */
const onlyNumber = ({ kinds, count }: DrawnMark, by: ColorBy): string => markOf(by, numbersOf(kinds).indexOf(count));
