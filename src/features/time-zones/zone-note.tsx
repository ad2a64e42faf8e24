// Which zone data the service reads windows with, and a warning for each zone that its machine knows better.
import type { ZoneData } from '#/contract/rollouts.ts';
import { formatDay } from '#/lib/format.ts';
import { useLook } from '#/ui/controls/look.ts';
import classes from './zone-note.module.css';
import { zoneWarning } from './zone-warning.ts';

export function ZoneNote({ zones: { Version, Outdated } }: { zones: ZoneData }) {
  const { zone } = useLook();
  return (
    <>
      <p className="small dim">Time zones of the service: version {Version}</p>
      {Outdated.map((each) => (
        <p key={each.Zone} role="note" className={classes.warning}>
          From {formatDay(new Date(each.Since), zone)} on, {zoneWarning(Version, each)}
        </p>
      ))}
    </>
  );
}
