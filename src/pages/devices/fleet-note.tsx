// The state of the fleet in memory: its progress, its failure, its age, or a button that loads it.
import { Button } from '@mantine/core';
import type { FleetInUse } from '#/fleet/use-fleet.ts';
import { formatCount } from '#/lib/format.ts';
import { useOldSince } from '#/ui/page/away.ts';
import { DataFrom } from '#/ui/page/data-from.tsx';
import { READ_BY_ITSELF } from '#/api/devices.ts';
import classes from './devices-page.module.css';

interface FleetNoteProps {
  fleet: FleetInUse | undefined;
  devices: number | undefined;
  /** More devices than those on this page. */
  more: boolean;
  /** What the service cannot do, so that the whole fleet is needed. */
  why: string | undefined;
  /** The service answers the search, and only searches names. */
  namesOnly: boolean;
  onLoad: () => void;
}

export function FleetNote({ fleet, devices, more, why, namesOnly, onLoad }: FleetNoteProps) {
  const oldSince = useOldSince(fleet?.at, Boolean(fleet?.error));
  if (fleet?.index)
    return oldSince === undefined ? null : (
      <span className="dim">
        <DataFrom at={oldSince} />
      </span>
    );
  if (fleet?.progress) {
    const { read, total } = fleet.progress;
    return (
      <label className={`${classes.reading} dim`}>
        <progress
          aria-label="Loading the fleet"
          {...(total !== undefined && { max: Math.max(1, total), value: read })}
        />
        <span className="tabular">
          {formatCount(read)}
          {total !== undefined && ` of ${formatCount(total)}`} loaded
          {why ? ` · ${why} needs the whole fleet` : namesOnly && ' · only names searched so far'}
        </span>
      </label>
    );
  }
  if (fleet?.state === 'failed' && !fleet.isReading)
    // Without the fleet there are no rows, and the error is shown instead of them.
    return why ? null : (
      <span className={`${classes.reading} dim`}>
        The fleet could not be loaded: {fleet.error?.message}
        <Button size="xs" onClick={fleet.retry}>
          Retry
        </Button>
      </span>
    );
  const isLarge = devices === undefined ? more : devices > READ_BY_ITSELF;
  if (!isLarge) return null;
  const what = namesOnly ? 'search IDs, groups, customers, sites and tags too' : 'sort and count';
  return (
    <span className={`${classes.reading} dim`}>
      {namesOnly && 'Only names were searched.'}
      <Button size="xs" onClick={onLoad}>
        {devices === undefined ? `Load all to ${what}` : `Load all ${formatCount(devices)} to ${what}`}
      </Button>
    </span>
  );
}
