// A small line chart of a figure over time, with a text alternative.
import classes from './sparkline.module.css';

interface SparklineProps {
  points: readonly { at: number; value: number }[];
  /** What it shows: "Devices from 3 to 12 in 20 days". */
  label: string;
}

const WIDTH = 200;
const HEIGHT = 28;

export function Sparkline({ points, label }: SparklineProps) {
  const values = points.map(({ value }) => value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const [start, end] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 0];
  const x = (at: number) => ((at - start) / (end - start || 1)) * WIDTH;
  // A flat line is drawn in the middle.
  const y = (value: number) =>
    most === least ? HEIGHT / 2 : HEIGHT - 2 - ((value - least) / (most - least)) * (HEIGHT - 4);
  const path = points.map(({ at, value }, index) => `${index ? 'L' : 'M'}${x(at).toFixed(1)} ${y(value).toFixed(1)}`);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      className={classes.line}
    >
      <title>{label}</title>
      <path d={path.join('')} />
    </svg>
  );
}
