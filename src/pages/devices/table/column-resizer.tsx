// The edge of a column's head: dragged, or moved by the arrow keys, it makes the column wider or narrower.
import { useRef, useState } from 'react';
import { LEAST_WIDTH, MOST_WIDTH, clampWidth } from '#/features/saved-views/view-words.ts';
import classes from './column-resizer.module.css';

const STEP = 16;

interface ColumnResizerProps {
  label: string;
  width: number;
  onWidth: (width: number) => void;
}

export function ColumnResizer({ label, width, onWidth }: ColumnResizerProps) {
  const from = useRef({ x: 0, width });
  const [isDragged, setIsDragged] = useState(false);
  return (
    <span
      role="slider"
      // Reached from the heading: see use-head-keys.ts.
      tabIndex={-1}
      aria-label={`Width of ${label}`}
      aria-orientation="horizontal"
      aria-valuenow={width}
      aria-valuemin={LEAST_WIDTH}
      aria-valuemax={MOST_WIDTH}
      aria-valuetext={`${width} pixels`}
      className={classes.resizer}
      data-dragged={isDragged || undefined}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        from.current = { x: event.clientX, width };
        event.currentTarget.setPointerCapture(event.pointerId);
        setIsDragged(true);
      }}
      onPointerMove={(event) => {
        if (isDragged) onWidth(clampWidth(from.current.width + event.clientX - from.current.x));
      }}
      onPointerUp={() => setIsDragged(false)}
      onPointerCancel={() => setIsDragged(false)}
      onKeyDown={(event) => {
        const by = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
        if (by === undefined) return;
        event.preventDefault();
        onWidth(clampWidth(width + by));
      }}
    />
  );
}
