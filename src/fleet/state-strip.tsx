// The last hours as a strip: tall where all is Online, low where not, a dotted line where nobody looked; the hours below.
import { formatClock } from '#/ui/format.ts';
import { useLook } from '#/ui/look.ts';
import classes from './state-strip.module.css';

interface StateStripProps {
  /** In order; `share` is how much of it is Online, from 0 to 1, undefined where that is not known. */
  stretches: readonly { from: number; to: number; share: number | undefined }[];
  /** What it shows, in words. */
  label: string;
  tall?: boolean;
}

const WIDTH = 1000;
const HEIGHT = 40;
/** Even a single device that is away must be seen. */
const LEAST = 5;
const TICKS = 4;

const heightOf = (share: number) =>
  share >= 1 ? HEIGHT : Math.min(HEIGHT - LEAST, Math.max(0, Math.round(share * HEIGHT)));

export function StateStrip({ stretches, label, tall = false }: StateStripProps) {
  const { zone } = useLook();
  const begin = stretches[0]?.from ?? 0;
  const end = stretches.at(-1)?.to ?? 1;
  const x = (at: number) => ((at - begin) / (end - begin || 1)) * WIDTH;
  const drawn = stretches.map(({ from, to, share }) => ({
    from: x(from),
    // At least a pixel or so, however short it was.
    width: Math.max(share === undefined || share >= 1 ? 0 : 2, x(to) - x(from)),
    share,
  }));
  const box = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none' };
  return (
    <div className={classes['strip']} data-tall={tall || undefined}>
      <svg role="img" aria-label={label} {...box}>
        <title>{label}</title>
        {drawn.map(({ from, width, share }) =>
          share === undefined ? (
            <path key={from} className={classes['unknown']} d={`M${from} ${HEIGHT - 1}h${width}`} />
          ) : (
            <g key={from}>
              <rect className={classes['away']} x={from} y="0" width={width} height={HEIGHT - heightOf(share)} />
              <rect
                className={classes['online']}
                x={from}
                y={HEIGHT - heightOf(share)}
                width={width}
                height={heightOf(share)}
              />
            </g>
          ),
        )}
      </svg>
      <div className={classes['hours']} aria-hidden>
        {Array.from({ length: TICKS }, (_, place) => (
          <span key={place}>{formatClock(new Date(begin + ((end - begin) * place) / TICKS), zone)}</span>
        ))}
        <span>now</span>
      </div>
    </div>
  );
}
