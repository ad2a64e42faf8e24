// On how many devices the versions of an artifact run, as a bar: the newest version in full colour, older ones paler.
import { paths } from '#/paths.ts';
import { devicesText, formatCount } from '#/lib/format.ts';
import { Link } from '#/ui/url/link.tsx';
import type { RunsOn } from './runs-on.ts';
import classes from './version-bar.module.css';

/** Segments with a tone of their own; the rest share the last one. */
const TONES = 5;

interface VersionBarProps {
  /** The name that the versions share. */
  name: string;
  runs: RunsOn;
  /** Shows the part of this version; otherwise all of them. */
  version?: string;
  wide?: boolean;
}

export function VersionBar({ name, runs, version, wide = false }: VersionBarProps) {
  const { versions, total } = runs;
  const shown = versions.flatMap((each, age) =>
    version === undefined || each.version === version ? [{ ...each, tone: Math.min(age, TONES - 1) }] : [],
  );
  const devices = shown.reduce((sum, each) => sum + each.devices, 0);
  if (devices === 0) return <span className="dim">no devices</span>;
  const label =
    version === undefined
      ? shown.map((each) => `${each.version} on ${devicesText(each.devices)}`).join(', ')
      : `Runs on ${devicesText(devices)}`;
  return (
    <Link
      to={paths.devices({ artifact: name, ...(version !== undefined && { version }) })}
      className={classes.runs}
      data-wide={wide || undefined}
      aria-label={`${name} ${version === undefined ? '' : `${version} `}on ${devicesText(devices)}`}
      title={label}
    >
      <span className={classes.bar} aria-hidden>
        {shown.map((each) => (
          <span
            key={each.version}
            data-tone={each.tone}
            style={{ inlineSize: `${((100 * each.devices) / total).toFixed(2)}%` }}
          />
        ))}
      </span>
      <span className="tabular">{wide ? devicesText(devices) : formatCount(devices)}</span>
    </Link>
  );
}
