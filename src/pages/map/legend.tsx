// On the map: what the colours mean, and in the colours of groups which group has which.
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { SegmentedControl } from '#/ui/controls/segmented-control.tsx';
import type { ColorBy } from './draw-marks.ts';
import { MOST_GROUPS } from './map-fleet.ts';
import { COLORS, letterOf } from './marker-colors.ts';
import classes from './map-page.module.css';

interface LegendProps {
  colorBy: ColorBy;
  onColorBy: (colorBy: ColorBy) => void;
  /** Those with a colour. */
  groups: readonly string[];
  /** Whether there are devices without one. */
  more: boolean;
  scheme: 'light' | 'dark';
}

export function Legend({ colorBy, onColorBy, groups, more, scheme }: LegendProps) {
  const { groups: colors, halo } = COLORS[scheme];
  return (
    <div className={classes.legend}>
      <SegmentedControl
        size="xs"
        fullWidth
        aria-label="Colour by"
        data={[
          { value: 'state', label: 'By state' },
          { value: 'group', label: 'By group' },
        ]}
        value={colorBy}
        onChange={(value) => onColorBy(value === 'group' ? 'group' : 'state')}
      />
      {colorBy === 'state' ? (
        <ul aria-label="Shapes of the states" className={classes.states}>
          <li>
            <StateMark state="Online" />
          </li>
          <li>
            <StateMark state="Offline" />
          </li>
        </ul>
      ) : (
        <ul aria-label="Colours of the groups">
          {groups.map((group, number) => (
            <li key={group}>
              <span className={classes.swatch} style={{ background: colors[number], color: halo }}>
                {letterOf(number)}
              </span>
              <span className="truncate">{group}</span>
            </li>
          ))}
          {more && (
            <li>
              <span className={classes.swatch} style={{ background: colors[MOST_GROUPS] }} />
              <span className="truncate">{groups.length > 0 ? 'all others' : 'no group'}</span>
            </li>
          )}
        </ul>
      )}
    </div>
  );
}
