// The one chart of the dashboard: stacked areas or bars over time or another axis. The drawing code loads late; the frame has
// its height from the start, so that nothing moves when it arrives.
import { useMemo, useState, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react';
import { Link } from '#/ui/url/link.tsx';
import { lazyPart } from '#/ui/late/lazy-dialog.tsx';
import { indexAt, spanOf, type ChartSeries, type Span } from './chart-data.ts';
import classes from './chart.module.css';

const Plot = lazyPart(() => import('./plot.tsx'), 'Plot');

/** Something that happened at one point of the axis. */
export interface ChartMark {
  at: number;
  label: string;
  to: string;
  Icon?: (props: { size: number; stroke: number }) => ReactNode;
  /** At the foot of the chart, beside marks of another kind at its head. */
  isLow?: boolean;
}

export interface ChartProps {
  /** What it shows, with its message: "Online devices in the last 24 hours, between 4,120 and 4,180". */
  label: string;
  /** Ascending: the beginning of each bucket, in milliseconds where the axis is time. */
  x: readonly number[];
  /** Length of a bucket. */
  step: number;
  series: readonly ChartSeries[];
  shape: 'area' | 'bars';
  formatX: (x: number) => string;
  /** A point of the axis in the readout, if it is more exact there. */
  formatReadoutX?: (x: number) => string;
  formatY: (y: number) => string;
  /** The largest value of the y axis; by default the largest sum. */
  max?: number | undefined;
  height?: number;
  /** Parts without knowledge; they are hatched. */
  unknown?: readonly Span[];
  marks?: readonly ChartMark[];
  /** The selected part, and where a new one goes: a drag or Shift with the arrow keys selects, Escape clears. */
  selected?: Span | undefined;
  onSelect?: ((span: Span | undefined) => void) | undefined;
  /** The marked point of the axis, and where a new one goes: a click, a drag or the arrow keys move it. */
  at?: number | undefined;
  onMove?: ((at: number) => void) | undefined;
  /** A click or Enter on a point; `pickText` says what it does: "lists the jobs since then". */
  onPick?: ((at: number) => void) | undefined;
  pickText?: string;
  /** Beside the legend. */
  note?: ReactNode;
  /** What is at `at`, in words. The page shows it itself, with the colours of the series: the chart has no caption then. */
  valueText?: string;
}

const KEY_STEPS = new Map(Object.entries<number>({ ArrowLeft: -1, ArrowRight: 1, PageDown: -10, PageUp: 10 }));

export function Chart(props: ChartProps) {
  const { label, x, step, series, formatX, formatY, height = 180, marks = [], selected, onSelect, at, onMove } = props;
  const { formatReadoutX = formatX, onPick, pickText, note, valueText } = props;
  const [focused, setFocused] = useState<number>();
  const [anchor, setAnchor] = useState<number>();
  const [begin, end] = [x[0] ?? 0, (x.at(-1) ?? 0) + step];
  const share = (value: number) => Math.min(1, Math.max(0, (value - begin) / (end - begin || 1)));
  const current = at === undefined ? focused : indexAt(x, at);
  const readout = useMemo(() => {
    if (current === undefined) return '';
    const values = series.map(({ label: name, values: of }) => {
      const value = of[current];
      return `${name} ${value === null || value === undefined ? 'unknown' : formatY(value)}`;
    });
    return `${formatReadoutX(x[current] ?? 0)}: ${values.join(', ')}`;
  }, [current, series, x, formatReadoutX, formatY]);

  const moveTo = (index: number) => {
    setFocused(index);
    onMove?.(x[index] ?? 0);
  };
  const indexOf = (event: PointerEvent<HTMLElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    return indexAt(x, begin + ((event.clientX - box.left) / (box.width || 1)) * (end - begin));
  };
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0 || (!onSelect && !onMove && !onPick)) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    setAnchor(indexOf(event));
    moveTo(indexOf(event));
  };
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    const index = indexOf(event);
    if (anchor === undefined) return setFocused(index);
    moveTo(index);
    if (index !== anchor || selected) onSelect?.(spanOf(x, step, anchor, index));
  };
  const onPointerUp = (event: PointerEvent<HTMLElement>) => {
    // A click without a drag clears the selection.
    if (anchor !== undefined && anchor === indexOf(event)) {
      onSelect?.(undefined);
      onPick?.(x[anchor] ?? 0);
    }
    setAnchor(undefined);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && selected) {
      event.stopPropagation();
      setAnchor(undefined);
      return onSelect?.(undefined);
    }
    if (event.key === 'Enter' && onPick && current !== undefined) return onPick(x[current] ?? 0);
    const last = x.length - 1;
    const from = current ?? (event.key === 'ArrowLeft' ? x.length : -1);
    const to = event.key === 'Home' ? 0 : event.key === 'End' ? last : from + (KEY_STEPS.get(event.key) ?? Number.NaN);
    if (Number.isNaN(to) || last < 0) return;
    event.preventDefault();
    const index = Math.min(last, Math.max(0, to));
    moveTo(index);
    if (!onSelect || !event.shiftKey) return setAnchor(undefined);
    const start = anchor ?? Math.max(0, Math.min(last, from));
    setAnchor(start);
    onSelect(spanOf(x, step, start, index));
  };

  return (
    <figure className={classes.chart}>
      <div className={classes.frame} style={{ height }}>
        <Plot open={{ ...props, height }} isUrgent />
        <div
          className={classes.pointer}
          role="slider"
          tabIndex={0}
          aria-label={onPick && pickText ? `${label}. Enter ${pickText}` : label}
          aria-valuemin={0}
          aria-valuemax={Math.max(0, x.length - 1)}
          aria-valuenow={current ?? 0}
          aria-valuetext={valueText ?? (readout || label)}
          data-moves={Boolean(onSelect ?? onMove) || undefined}
          data-picks={onPick !== undefined || undefined}
          onPointerDown={onPointerDown}
          onPointerMove={onPointerMove}
          onPointerUp={onPointerUp}
          onPointerCancel={() => setAnchor(undefined)}
          onPointerLeave={() => anchor === undefined && setFocused(undefined)}
          onBlur={() => {
            setFocused(undefined);
            setAnchor(undefined);
          }}
          onKeyDown={onKeyDown}
        />
        <div className={classes.overlay}>
          {selected && (
            <div
              className={classes.selected}
              style={{ left: `${share(selected.from) * 100}%`, right: `${(1 - share(selected.to)) * 100}%` }}
            />
          )}
          {current !== undefined && x.length > 0 && (
            <div className={classes.cursor} style={{ left: `${share(at ?? x[current] ?? 0) * 100}%` }} />
          )}
          {marks.map(({ at: time, label: name, to, Icon, isLow }) => (
            <Link
              key={`${to} ${time}`}
              to={to}
              className={classes.mark}
              data-low={isLow}
              style={{ left: `${share(time) * 100}%` }}
              aria-label={name}
              title={name}
            >
              {Icon ? <Icon size={12} stroke={2} /> : null}
            </Link>
          ))}
        </div>
      </div>
      {valueText === undefined && (
        <figcaption className={classes.caption}>
          <span className={classes.legend} aria-hidden={readout !== ''}>
            {series.map(({ label: name, color }) => (
              <span key={name} className={classes.key}>
                <i style={{ background: `var(--${color})` }} />
                {name}
              </span>
            ))}
          </span>
          {note && !readout && <span>{note}</span>}
          <span className={classes.readout} aria-hidden>
            {readout}
          </span>
        </figcaption>
      )}
    </figure>
  );
}
