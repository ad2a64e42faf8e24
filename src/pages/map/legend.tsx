// The legend of the map: states, or the colours of the groups.
import type { Scheme } from '#/features/base-map/map-colors.ts';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { SegmentedControl } from '#/ui/controls/segmented-control.tsx';
import { MOST_GROUPS } from './map-fleet.ts';
import { COLORS, letterOf } from './marker-colors.ts';
import type { FleetMapModel } from './use-fleet-map.ts';
import classes from './map-page.module.css';

export function Legend({ model: { url, shown }, scheme }: { model: FleetMapModel; scheme: Scheme }) {
  const { colours: groups } = shown;
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
        value={url.color}
        onChange={(color) => url.set({ color })}
      />
      {url.color === 'state' ? (
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
          {shown.hasMoreGroups && (
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
