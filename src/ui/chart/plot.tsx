// Draws a chart with uPlot. Everything that reacts to a pointer or a key lies over it, in chart.tsx.
import { useEffect, useRef } from 'react';
import { useComputedColorScheme } from '@mantine/core';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { ChartProps } from './chart.tsx';
import { labelsAt, LEFT, RIGHT, stacked, wholeLabels, type Span } from './chart-data.ts';
import classes from './chart.module.css';

const AXIS_HEIGHT = 24;
/** Above the highest value; marks lie there, and hide no value. */
const TOP = 8;
const MARK_ROOM = 24;
const FONT = '11px Inter Variable, sans-serif';
const ruler = document.createElement('canvas').getContext('2d');
function textWidth(text: string): number {
  if (!ruler) return 0;
  ruler.font = FONT;
  return ruler.measureText(text).width;
}
const HATCH = 6;
/** Pixels for each label of the x axis. */
const LABEL_WIDTH = 84;

/** Diagonal lines over the parts of which nothing is known. */
function hatch(plot: uPlot, spans: readonly Span[], color: string) {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = color;
  ctx.lineWidth = devicePixelRatio;
  for (const { from, to } of spans) {
    const left = Math.max(bbox.left, plot.valToPos(from, 'x', true));
    const right = Math.min(bbox.left + bbox.width, plot.valToPos(to, 'x', true));
    if (right <= left) continue;
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, bbox.top, right - left, bbox.height);
    ctx.clip();
    ctx.beginPath();
    for (let x = left - bbox.height; x < right; x += HATCH * devicePixelRatio) {
      ctx.moveTo(x, bbox.top + bbox.height);
      ctx.lineTo(x + bbox.height, bbox.top);
    }
    ctx.stroke();
    ctx.restore();
  }
  ctx.restore();
}

type PlotProps = Pick<
  ChartProps,
  'x' | 'step' | 'series' | 'shape' | 'formatX' | 'formatY' | 'max' | 'unknown' | 'marks'
> & {
  height: number;
};

export function Plot(props: PlotProps) {
  const { x, step, series, shape, formatX, formatY, max, unknown, height } = props;
  const room = props.marks ? MARK_ROOM : TOP;
  const box = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme('light');
  useEffect(() => {
    const host = box.current;
    if (!host) return;
    const style = getComputedStyle(host);
    const color = (name: string) => style.getPropertyValue(`--${name}`).trim();
    const sums = stacked(series);
    // The highest stack is drawn first, so that the lower ones lie over it.
    const order = series.map((_, index) => index).toReversed();
    // Between two points a stored value holds until the next.
    const paths =
      shape === 'bars' ? uPlot.paths.bars?.({ size: [0.82, 48], align: 1 }) : uPlot.paths.stepped?.({ align: 1 });
    const end = (x.at(-1) ?? 0) + step;
    // The last bucket of an area reaches to its end.
    const drawnX = shape === 'area' ? [...x, end] : [...x];
    const drawn = order.map((at) => {
      const values = sums[at] ?? [];
      return shape === 'area' ? [...values, values.at(-1) ?? null] : values;
    });
    const grid = { stroke: color('line'), width: 1 };
    const plot = new uPlot(
      {
        width: host.clientWidth || 1,
        height,
        pxAlign: 0,
        cursor: { show: false },
        legend: { show: false },
        padding: [room, RIGHT, 0, 0],
        scales: {
          x: { time: false, range: () => [x[0] ?? 0, end] },
          y: { range: (_, __, top) => [0, max ?? Math.max(1, top)] },
        },
        axes: [
          {
            size: AXIS_HEIGHT,
            font: FONT,
            stroke: color('ink-2'),
            grid: { show: false },
            ticks: { show: false },
            splits: (self) => {
              const labels = labelsAt(x, step, {
                most: Math.max(2, Math.floor(self.width / LABEL_WIDTH)),
                offset: new Date(x[0] ?? 0).getTimezoneOffset() * 60_000,
              });
              const axis = { from: x[0] ?? 0, to: end, width: self.width - LEFT - RIGHT };
              return wholeLabels(labels, axis, (label) => textWidth(formatX(label)));
            },
            values: (_, splits) => splits.map(formatX),
          },
          {
            size: LEFT,
            font: FONT,
            stroke: color('ink-2'),
            grid,
            ticks: { show: false },
            space: 36,
            values: (_, splits) => splits.map((value) => (Number.isInteger(value) ? formatY(value) : '')),
          },
        ],
        series: [
          {},
          ...order.map((at) => {
            const stroke = color(series[at]?.color ?? 'brand');
            return {
              stroke,
              fill: shape === 'bars' ? stroke : `color-mix(in srgb, ${stroke} 28%, ${color('page')})`,
              width: shape === 'bars' ? 0 : 1.5,
              points: { show: false },
              ...(paths && { paths }),
            };
          }),
        ],
        hooks: { draw: [(self) => hatch(self, unknown ?? [], color('line-strong'))] },
      },
      [drawnX, ...drawn] as uPlot.AlignedData,
      host,
    );
    const observer = new ResizeObserver(() => plot.setSize({ width: host.clientWidth || 1, height }));
    observer.observe(host);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
    // The scheme changes the colours that are read from the style sheet.
  }, [x, step, series, shape, formatX, formatY, max, unknown, height, room, scheme]);
  return <div ref={box} className={classes.plot} aria-hidden />;
}
