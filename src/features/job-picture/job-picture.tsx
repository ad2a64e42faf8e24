// A job or rollout as a picture: how many devices ran and had ended over time, a strip for each, and how long they took.
// A part that is selected on an axis filters the list below, which says the same in text.
import { useEffect, useMemo, useRef, useState, type PointerEvent } from 'react';
import { Button } from '@mantine/core';
import { counted, formatClock, formatClockSeconds, formatCount, formatDuration } from '#/lib/format.ts';
import { visible } from '#/lib/glyphs.ts';
import { Chart, type ChartMark } from '#/ui/chart/chart.tsx';
import type { Span } from '#/ui/chart/chart-data.ts';
import { useLook } from '#/ui/controls/look.ts';
import { useNow } from '#/ui/controls/time.tsx';
import { Link } from '#/ui/url/link.tsx';
import type { To } from 'react-router';
import { axisOf, durations, isBrushed, medianAndSlowest, RUN_STATES, timeline, withBeyond } from './runs.ts';
import type { Brush, Run } from './runs.ts';
import classes from './job-picture.module.css';

/** With more devices, a strip would be thinner than a pixel; the chart above shows their density. */
const MOST_STRIPS = 300;
const HEIGHT = 132;
/** Milliseconds without a change after which a selection is written to the URL, which browsers limit. */
const SETTLED = 200;

interface JobPictureProps {
  runs: readonly Run[];
  /** All devices, also those that have not begun. */
  devices: number;
  brush: Brush;
  onBrush: (brush: Brush) => void;
  linkOf: (run: Run) => { to: To; state?: unknown };
  onOpen: (run: Run) => void;
  marks?: readonly ChartMark[];
}

/** What is selected shows at once, and is reported when the selection rests. */
function useBrush(brush: Brush, onBrush: (brush: Brush) => void) {
  const [draft, setDraft] = useState<Brush>();
  const report = useRef(onBrush);
  useEffect(() => {
    report.current = onBrush;
  });
  useEffect(() => {
    if (!draft) return;
    const timer = setTimeout(() => {
      report.current(draft);
      setDraft(undefined);
    }, SETTLED);
    return () => clearTimeout(timer);
  }, [draft]);
  return { shown: draft ?? brush, select: setDraft };
}

export function JobPicture({ runs, devices, brush, onBrush, linkOf, onOpen, marks }: JobPictureProps) {
  const { zone } = useLook();
  const now = useNow().getTime();
  const { begin, end, step, last } = useMemo(() => axisOf(runs, now), [runs, now]);
  // The picture changes with each bucket, not with each tick of the clock.
  const present = Math.floor(now / step) * step;
  const over = useMemo(() => timeline(runs, present), [runs, present]);
  const took = useMemo(() => durations(runs), [runs]);
  const longest = took.x.at(-1);
  const figures = useMemo(() => medianAndSlowest(runs), [runs]);
  const { shown, select } = useBrush(brush, onBrush);
  const formatAt = useMemo(() => {
    const format = step < 60_000 ? formatClockSeconds : formatClock;
    return (at: number) => format(new Date(at), zone);
  }, [step, zone]);
  const failed = runs.filter(({ state }) => state !== 'succeeded' && state !== 'running' && state !== 'other').length;
  const running = runs.filter(({ to }) => to === undefined).length;
  const progress = `${formatCount(runs.length - running)} of ${counted(devices, 'device')} ended, ${formatCount(failed)} failed`;
  const words =
    figures && `median ${formatDuration(figures.median)}, slowest ${formatDuration(lengthOf(figures.slowest))}`;
  return (
    <section className={classes.picture} aria-label="Timeline">
      <div>
        <h2>When devices ran</h2>
        <Chart
          label={`Devices over time: ${progress}`}
          x={over.x}
          step={over.step}
          series={over.series}
          shape="area"
          formatX={formatAt}
          formatY={formatCount}
          max={Math.max(1, devices)}
          height={HEIGHT}
          {...(marks && { marks })}
          selected={shown.time}
          onSelect={(time) => select({ ...shown, time: withBeyond(time, over) })}
        />
        {runs.length <= MOST_STRIPS && (
          <Strips
            runs={runs}
            devices={devices}
            begin={begin}
            end={end}
            now={Math.max(now, begin)}
            selected={shown.time}
            formatAt={formatAt}
            onOpen={onOpen}
          />
        )}
        {last > end && (
          <p className={classes.beyond}>Stragglers go on beyond this end, the last one until {formatAt(last)}</p>
        )}
      </div>
      <div>
        <h2>How long they took</h2>
        <Chart
          label={`Durations: ${words ?? 'no device has ended yet'}`}
          x={took.x}
          step={took.step}
          series={took.series}
          shape="bars"
          formatX={formatDuration}
          formatReadoutX={(length) =>
            `${formatDuration(length)}${length === longest && took.most > length + took.step ? ' or longer' : ''}`
          }
          formatY={formatCount}
          height={HEIGHT}
          selected={shown.took}
          onSelect={(span) => select({ ...shown, took: withBeyond(span, took) })}
        />
        <p className={classes.figures}>
          {figures ? (
            <>
              Median <strong>{formatDuration(figures.median)}</strong> · slowest{' '}
              <strong>{formatDuration(lengthOf(figures.slowest))}</strong>{' '}
              <Link {...linkOf(figures.slowest)} preventScrollReset>
                <bdi>{visible(figures.slowest.name)}</bdi>
              </Link>
            </>
          ) : (
            'No device has ended yet'
          )}
        </p>
      </div>
      <p className={classes.brush} role="status">
        {isBrushed(shown) ? (
          <>
            Only devices that {brushText(shown, formatAt)}{' '}
            <Button size="compact-xs" variant="default" onClick={() => select({ time: undefined, took: undefined })}>
              Show all
            </Button>
          </>
        ) : (
          <span className="dim">Drag over a part, or press Shift and the arrow keys, to list only its devices</span>
        )}
      </p>
    </section>
  );
}

const lengthOf = ({ from, to = from }: Run): number => to - from;

function brushText({ time, took }: Brush, formatAt: (at: number) => string): string {
  const parts = [
    time && `ran between ${formatAt(time.from)} and ${formatAt(time.to)}`,
    took && `took ${formatDuration(took.from)} to ${formatDuration(took.to)}`,
  ];
  return parts.filter((part) => part !== undefined).join(' and ');
}

interface StripsProps {
  runs: readonly Run[];
  devices: number;
  begin: number;
  end: number;
  now: number;
  selected: Span | undefined;
  formatAt: (at: number) => string;
  onOpen: (run: Run) => void;
}

const WIDTH = 1_000;
/** The height of a strip in the drawing; failures fill it, so that they differ by more than their colour. */
const ROW = 10;
const FULL = 9;
const SLIM = 5;
const LEAST_WIDTH = 3;
/** A strip that goes on beyond the axis is broken so far before the end. */
const BREAK = 20;

/** One path for each state, whatever the number of devices. */
function Strips({ runs, devices, begin, end, now, selected, formatAt, onOpen }: StripsProps) {
  const [pointed, setPointed] = useState<Run>();
  const ordered = useMemo(
    () => runs.toSorted((one, other) => one.from - other.from || (one.to ?? Infinity) - (other.to ?? Infinity)),
    [runs],
  );
  const rows = Math.min(MOST_STRIPS, Math.max(devices, ordered.length, 1));
  const drawn = useMemo(() => {
    const x = (at: number) => ((at - begin) / (end - begin)) * WIDTH;
    const lines = new Map<string, string>();
    for (const [index, { from, to, state }] of ordered.entries()) {
      const tall = state === 'succeeded' || state === 'running' || state === 'other' ? SLIM : FULL;
      const top = index * ROW + (ROW - tall) / 2;
      const left = Math.min(x(from), WIDTH - LEAST_WIDTH);
      const until = x(to ?? Math.max(now, from));
      const isBeyond = until > WIDTH + LEAST_WIDTH;
      const right = isBeyond ? WIDTH - BREAK : Math.min(WIDTH, Math.max(until, left + LEAST_WIDTH));
      const bar = (one: number, other: number) =>
        `M${one.toFixed(1)} ${top}H${other.toFixed(1)}V${top + tall}H${one.toFixed(1)}Z`;
      const path = bar(Math.min(left, right - LEAST_WIDTH), right) + (isBeyond ? bar(WIDTH - BREAK / 2, WIDTH) : '');
      lines.set(state, (lines.get(state) ?? '') + path);
    }
    return lines;
  }, [ordered, begin, end, now]);
  const runAt = (event: PointerEvent) => {
    const box = event.currentTarget.getBoundingClientRect();
    return ordered[Math.floor(((event.clientY - box.top) / (box.height || 1)) * rows)];
  };
  const share = (at: number) => `${Math.min(1, Math.max(0, (at - begin) / (end - begin))) * 100}%`;
  return (
    <div className={classes.strips}>
      {/* The list below is its equivalent for the keyboard and for screen readers. */}
      <div
        className={classes.rows}
        style={{ height: Math.min(240, Math.max(24, rows * 10)) }}
        aria-hidden
        onPointerMove={(event) => setPointed(runAt(event))}
        onPointerLeave={() => setPointed(undefined)}
        onClick={() => pointed && onOpen(pointed)}
      >
        <svg viewBox={`0 0 ${WIDTH} ${rows * ROW}`} preserveAspectRatio="none">
          {RUN_STATES.map(({ state, color }) => (
            <path key={state} d={drawn.get(state) ?? ''} style={{ fill: `var(--${color})` }} />
          ))}
        </svg>
        {selected && (
          <span
            className={classes.selected}
            style={{ left: share(selected.from), width: `calc(${share(selected.to)} - ${share(selected.from)})` }}
          />
        )}
      </div>
      <p className={classes.pointed} aria-hidden>
        {pointed &&
          `${visible(pointed.name)}: ${RUN_STATES.find(({ state }) => state === pointed.state)?.label.toLowerCase()}, from ${formatAt(pointed.from)}${pointed.to === undefined ? '' : ` to ${formatAt(pointed.to)}, ${formatDuration(lengthOf(pointed))}`}`}
      </p>
    </div>
  );
}
