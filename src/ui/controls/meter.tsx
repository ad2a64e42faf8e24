// How much of a limit is used, in words and as a bar.
import classes from './meter.module.css';

interface MeterProps {
  label: string;
  used: number;
  limit: number;
  format: (value: number) => string;
}

export function Meter({ label, used, limit, format }: MeterProps) {
  const share = limit > 0 ? Math.min(1, used / limit) : 1;
  return (
    <div className={classes.meter} data-level={share >= 1 ? 'full' : share >= 0.9 ? 'near' : 'fine'}>
      <span className="dim">{label}</span>
      <span>
        {format(used)} <span className="dim">of {format(limit)}</span>
      </span>
      <div
        className={classes.bar}
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={used}
        aria-valuetext={`${format(used)} of ${format(limit)}`}
      >
        <svg width="100%" height="4" preserveAspectRatio="none" viewBox="0 0 100 4" aria-hidden>
          <rect width={share * 100} height="4" />
        </svg>
      </div>
    </div>
  );
}
