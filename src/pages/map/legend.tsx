// The legend of the map: states, or the colours of the groups or of the versions of an artifact.
import { useMemo } from 'react';
import { Button, NativeSelect } from '@mantine/core';
import type { Scheme } from '#/features/base-map/map-colors.ts';
import { formatCount } from '#/lib/format.ts';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { SegmentedControl } from '#/ui/controls/segmented-control.tsx';
import { NONE, REST } from './colouring.ts';
import { markOf, toneOf } from './draw-marks.ts';
import { COLORS, type ColorBy } from './marker-colors.ts';
import type { FleetMapModel } from './use-fleet-map.ts';
import classes from './map-page.module.css';

const CHOICES: { value: ColorBy; label: string }[] = [
  { value: 'state', label: 'State' },
  { value: 'group', label: 'Group' },
  { value: 'version', label: 'Version' },
];

interface LegendProps {
  model: FleetMapModel;
  scheme: Scheme;
}

export function Legend({ model, scheme }: LegendProps) {
  const { url, shown, past, fleet } = model;
  const hasNew = useMemo(() => fleet.query({ filter: { status: ['notconnected'] } }).length > 0, [fleet]);
  const { groups, versions, colorBy } = shown;
  return (
    <div className={classes.legend}>
      <SegmentedControl
        size="xs"
        fullWidth
        aria-label="Colour by"
        data={versions.isOffered ? CHOICES : CHOICES.slice(0, 2)}
        value={colorBy}
        onChange={(color) => url.set({ color })}
      />
      {url.replay && url.color === 'version' && (
        <p className={`dim ${classes.legendNote}`}>A replay shows states: which versions ran then is not stored.</p>
      )}
      {colorBy === 'state' && (
        <ul aria-label="Shapes of the states" className={classes.states}>
          <li>
            <StateMark state="Online" />
          </li>
          <li>
            <StateMark state="Offline" />
          </li>
          {!past && hasNew && (
            <li>
              <StateMark state="NotConnected" />
            </li>
          )}
          {past?.hasGaps && (
            <li>
              <StateMark state="Unknown" />
            </li>
          )}
        </ul>
      )}
      {colorBy === 'group' && (
        <ul aria-label="Colours of the groups">
          {groups.map((group, number) => (
            <Entry key={group} by="group" number={number} name={group} scheme={scheme} />
          ))}
          {shown.hasMoreGroups && (
            <Entry by="group" number={REST} name={groups.length > 0 ? 'all others' : 'no group'} scheme={scheme} />
          )}
        </ul>
      )}
      {colorBy === 'version' && <Versions model={model} scheme={scheme} />}
    </div>
  );
}

interface EntryProps {
  by: ColorBy;
  number: number;
  name: string;
  count?: number;
  scheme: Scheme;
}

function Entry({ by, number, name, count, scheme }: EntryProps) {
  const { fill, letter } = toneOf(by, number, COLORS[scheme]);
  return (
    <li>
      <span className={classes.swatch} style={{ background: fill, color: letter }}>
        {markOf(by, number)}
      </span>
      <bdi className="truncate">{name}</bdi>
      {count !== undefined && <span className={classes.legendCount}>{formatCount(count)}</span>}
    </li>
  );
}

function Versions({ model: { url, fleet, shown }, scheme }: LegendProps) {
  const { artifacts, artifact, names, counts, rest, byId, isNone, error, isFetching, refetch } = shown.versions;
  if (error && !byId)
    return (
      <div role="alert" className={classes.legendNote}>
        The versions could not be loaded: {error.message}
        <Button size="xs" loading={isFetching} onClick={refetch}>
          Retry
        </Button>
      </div>
    );
  if (isNone) return <p className={classes.legendNote}>Nothing has been deployed yet.</p>;
  const entry = { by: 'version', scheme } as const;
  const without = byId && Math.max(0, fleet.size - byId.size);
  return (
    <>
      <NativeSelect
        size="xs"
        aria-label="Artifact"
        data={artifact === undefined || artifacts.includes(artifact) ? artifacts : [artifact, ...artifacts]}
        value={artifact ?? ''}
        onChange={(event) => url.set({ of: event.currentTarget.value })}
      />
      {byId ? (
        <ul aria-label="Colours of the versions" aria-busy={isFetching}>
          {names.map((name, number) => (
            <Entry key={name} {...entry} number={number} name={name} count={counts[number] ?? 0} />
          ))}
          {rest > 0 && <Entry {...entry} number={REST} name="other versions" count={rest} />}
          {without !== undefined && without > 0 && (
            <Entry {...entry} number={NONE} name={`no ${artifact}`} count={without} />
          )}
        </ul>
      ) : (
        <p className={classes.legendNote} aria-busy>
          Loading the versions…
        </p>
      )}
    </>
  );
}
