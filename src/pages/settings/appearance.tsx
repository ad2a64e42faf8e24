// The colour scheme, the height of table rows, and the time zone.
import { useMantineColorScheme } from '@mantine/core';
import { formatTime } from '#/lib/format.ts';
import { setLook, useLook } from '#/ui/controls/look.ts';
import { useNow } from '#/ui/controls/time.tsx';
import { SegmentedControl } from '#/ui/controls/segmented-control.tsx';
import classes from './settings.module.css';

const SCHEMES = [
  { value: 'auto', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];
const DENSITIES = [
  { value: 'compact', label: 'Compact' },
  { value: 'comfortable', label: 'Comfortable' },
];
const ZONES = [
  { value: 'local', label: 'Local time' },
  { value: 'utc', label: 'UTC' },
];

export function Appearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { density, zone } = useLook();
  const now = useNow();
  return (
    <div className={classes.choices}>
      <span>Colours</span>
      <SegmentedControl
        aria-label="Appearance"
        data={SCHEMES}
        value={colorScheme}
        onChange={(value) => setColorScheme(value === 'light' || value === 'dark' ? value : 'auto')}
      />
      <span>Table rows</span>
      <div>
        <SegmentedControl
          aria-label="Table rows"
          data={DENSITIES}
          value={density}
          onChange={(value) => setLook({ density: value === 'comfortable' ? value : 'compact' })}
        />
        <p className={classes.note}>The device table has its own setting under Columns.</p>
      </div>
      <span>Times</span>
      <div>
        <SegmentedControl
          aria-label="Times"
          data={ZONES}
          value={zone}
          onChange={(value) => setLook({ zone: value === 'utc' ? value : 'local' })}
        />
        <p className={classes.note}>Now: {formatTime(now, zone)}</p>
      </div>
    </div>
  );
}
