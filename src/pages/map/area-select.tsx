// Draws a rectangle or a lasso over the map with mouse, pen or finger, and reports what is inside when it is released.
import { useRef, useState, type PointerEvent } from 'react';
import { useEscape } from '#/ui/controls/use-key-down.ts';
import classes from './map-page.module.css';

export type AreaTool = 'rectangle' | 'lasso';
export interface Pixel {
  x: number;
  y: number;
}

interface AreaSelectProps {
  tool: AreaTool;
  /** The corners, in pixels from the top left of the map's box. */
  onArea: (corners: Pixel[]) => void;
  onCancel: () => void;
}

/** Pixels between two corners of a lasso. */
const STEP = 4;
/** Less than this, in both directions, was a click. */
const LEAST = 4;

const cornersOf = (tool: AreaTool, path: Pixel[]): Pixel[] => {
  const [first, last] = [path[0], path.at(-1)];
  return tool === 'lasso' || !first || !last
    ? path
    : [first, { x: last.x, y: first.y }, last, { x: first.x, y: last.y }];
};

const isTiny = (path: Pixel[]) => {
  const span = (values: number[]) => Math.max(...values) - Math.min(...values);
  return span(path.map(({ x }) => x)) < LEAST && span(path.map(({ y }) => y)) < LEAST;
};

export function AreaSelect({ tool, onArea, onCancel }: AreaSelectProps) {
  const path = useRef<Pixel[]>([]);
  const pointer = useRef<number>(undefined);
  const [corners, setCorners] = useState<Pixel[]>([]);
  const drop = () => {
    pointer.current = undefined;
    path.current = [];
    setCorners([]);
  };

  useEscape(onCancel);

  const pixelOf = (event: PointerEvent): Pixel => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  const begin = (event: PointerEvent) => {
    if (pointer.current !== undefined || event.button !== 0) return;
    pointer.current = event.pointerId;
    event.currentTarget.setPointerCapture(event.pointerId);
    path.current = [pixelOf(event)];
  };
  const move = (event: PointerEvent) => {
    if (event.pointerId !== pointer.current) return;
    const at = pixelOf(event);
    const last = path.current.at(-1);
    if (last && Math.hypot(at.x - last.x, at.y - last.y) < STEP) return;
    path.current.push(at);
    setCorners(cornersOf(tool, path.current));
  };
  const end = (event: PointerEvent) => {
    if (event.pointerId !== pointer.current) return;
    const drawn = cornersOf(tool, [...path.current, pixelOf(event)]);
    drop();
    if (!isTiny(drawn)) onArea(drawn);
  };
  return (
    <div
      className={classes.area}
      data-tool={tool}
      onPointerDown={begin}
      onPointerMove={move}
      onPointerUp={end}
      onPointerCancel={drop}
    >
      <p className={classes.areaHint}>
        {tool === 'lasso' ? 'Draw around the devices to select.' : 'Draw a rectangle over the devices to select.'} Esc
        cancels.
      </p>
      <svg aria-hidden>
        <polygon points={corners.map(({ x, y }) => `${x},${y}`).join(' ')} />
      </svg>
    </div>
  );
}
