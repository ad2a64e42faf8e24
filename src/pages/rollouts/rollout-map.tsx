// The devices of a rollout on the map, by state.
import { useMemo, useState, type CSSProperties } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { RolloutDeviceState } from '#/contract/rollouts.ts';
import { deviceQueries } from '#/api/devices.ts';
import { rolloutQueries, type RolloutDeviceFilter } from '#/api/rollouts.ts';
import { DotMap, type DotLook } from '#/features/base-map/dot-map.tsx';
import { paths } from '#/paths.ts';
import { StateOf } from '#/ui/controls/state-mark.tsx';
import { Status } from '#/ui/controls/status.tsx';
import { NoDataYet } from '#/ui/page/view.tsx';
import { Link } from '#/ui/url/link.tsx';
import { deviceWords, STATES_BY_URGENCY } from './rollout-words.ts';
import classes from './rollouts.module.css';

const LOOKS: Record<RolloutDeviceState, DotLook> = {
  Pending: { color: '--waiting', isFilled: false },
  Waiting: { color: '--waiting', isFilled: true },
  Running: { color: '--running', isFilled: true },
  Succeeded: { color: '--ok', isFilled: true },
  Failed: { color: '--failed', isFilled: true },
  RolledBack: { color: '--rolled-back', isFilled: true },
  NoAnswer: { color: '--no-answer', isFilled: true },
  NotBack: { color: '--offline', isFilled: false },
  Skipped: { color: '--line-strong', isFilled: true },
  Cancelled: { color: '--line-strong', isFilled: true },
};

interface RolloutMapProps {
  id: string;
  filter: RolloutDeviceFilter;
}

export function RolloutMap({ id, filter: { state, wave } }: RolloutMapProps) {
  const reading = useQuery(rolloutQueries.states(id));
  const [picked, setPicked] = useState<string>();
  const states = useMemo(() => {
    const shown = (reading.data ?? []).filter(
      (group) => (state === undefined || group.State === state) && (wave === undefined || group.Wave === wave),
    );
    // Drawn last, the most urgent states are on top.
    const last = shown.toSorted(
      (one, two) => STATES_BY_URGENCY.indexOf(two.State) - STATES_BY_URGENCY.indexOf(one.State),
    );
    return new Map(last.flatMap(({ State, DeviceIds }) => DeviceIds.map((each) => [each, State] as const)));
  }, [reading.data, state, wave]);
  const looks = useMemo(() => new Map(Array.from(states, ([each, of]) => [each, LOOKS[of]])), [states]);
  const shownStates = STATES_BY_URGENCY.filter((each) => reading.data?.some(({ State }) => State === each));
  const pickedState = picked === undefined ? undefined : states.get(picked);
  if (!reading.data) return <NoDataYet query={reading} name="the devices" rows={5} />;
  return (
    <>
      <DotMap name="Map of the rollout" looks={looks} legend={<Legend states={shownStates} />} onPick={setPicked} />
      <Status className={classes.picked}>
        {picked !== undefined && pickedState && <Picked id={picked} state={pickedState} />}
      </Status>
    </>
  );
}

/** Rings are devices that have not started or are not back, as on the map. */
function Legend({ states }: { states: readonly RolloutDeviceState[] }) {
  return (
    <span className={classes.key}>
      {states.map((state) => {
        const { color, isFilled } = LOOKS[state];
        return (
          <span key={state} style={{ '--tone': `var(${color})` } as CSSProperties} data-ring={!isFilled || undefined}>
            {deviceWords(state).label}
          </span>
        );
      })}
    </span>
  );
}

function Picked({ id, state }: { id: string; state: RolloutDeviceState }) {
  const device = useQuery(deviceQueries.one(id));
  return (
    <>
      <Link to={paths.device(id)}>
        <bdi>{device.data?.DeviceName || id}</bdi>
      </Link>
      <StateOf words={deviceWords(state)} />
    </>
  );
}
