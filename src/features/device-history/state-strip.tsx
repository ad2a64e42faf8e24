// The last hours or days as a strip: full height while everything is Online, lower otherwise, a dotted line where nothing
// is known, with the times below.
import { formatClock, formatDay } from '#/lib/format.ts';
import { useLook } from '#/ui/controls/look.ts';
import classes from './state-strip.module.css';

interface StateStripProps {
  /** In order. `share`: how much is Online, from 0 to 1; undefined where it is not known. */
  stretches: readonly { from: number; to: number; share: number | undefined }[];
  label: string;
  tall?: boolean;
  /** Without the times below it, for a row of a table whose heading says them. */
  bare?: boolean;
}

const WIDTH = 1000;
const HEIGHT = 40;
/** The height that makes even a single device visible that is away. */
const LEAST = 5;
const TICKS = 4;
/** A longer strip shows days instead of times. */
const LONG = 2 * 86_400_000;

const heightOf = (share: number) =>
  share >= 1 ? HEIGHT : Math.min(HEIGHT - LEAST, Math.max(0, Math.round(share * HEIGHT)));

export function StateStrip({ stretches, label, tall = false, bare = false }: StateStripProps) {
  const { zone } = useLook();
  const begin = stretches[0]?.from ?? 0;
  const end = stretches.at(-1)?.to ?? 1;
  const x = (at: number) => ((at - begin) / (end - begin || 1)) * WIDTH;
  const paths = { online: '', away: '', unknown: '' };
  for (const { from, to, share } of stretches) {
    const left = x(from).toFixed(1);
    if (share === undefined) paths.unknown += `M${left} ${HEIGHT - 1}H${x(to).toFixed(1)}`;
    else {
      // Wide enough to be visible, however short it was.
      const right = Math.max(x(to), x(from) + (share < 1 ? 2 : 0)).toFixed(1);
      const top = HEIGHT - heightOf(share);
      paths.online += `M${left} ${HEIGHT}V${top}H${right}V${HEIGHT}Z`;
      if (top > 0) paths.away += `M${left} ${top}V0H${right}V${top}Z`;
    }
  }
  const textOf = end - begin > LONG ? formatDay : formatClock;
  const box = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none' };
  return (
    <div className={classes.strip} data-tall={tall || undefined}>
      <svg role="img" aria-label={label} {...box}>
        <title>{label}</title>
        {(['online', 'away', 'unknown'] as const).map((kind) => (
          <path key={kind} className={classes[kind]} d={paths[kind]} />
        ))}
      </svg>
      {!bare && (
        <div className={classes.hours} aria-hidden>
          {Array.from({ length: TICKS }, (_, index) => (
            <span key={index}>{textOf(new Date(begin + ((end - begin) * index) / TICKS), zone)}</span>
          ))}
          <span>now</span>
        </div>
      )}
    </div>
  );
}
