// What went and came back in the last day, the latest first, with the times in which nobody looked; and the devices
// that change state all the time.
import { useMemo, useState } from 'react';
import { Link } from 'react-router';
import { Button } from '@mantine/core';
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import type { StateHistory } from '#/features/device-history/state-history.ts';
import { paths } from '#/paths.ts';
import { formatClock, formatCount, formatDuration } from '#/lib/format.ts';
import { useLook } from '#/ui/controls/look.ts';
import { Time, useNow } from '#/ui/controls/time.tsx';
import { clusterText, ownersText, spanText } from './change-clusters.ts';
import { recentChanges, type Happening, type Recent } from './recent-changes.ts';
import { Line, SHOWN, ShortList, noneOf } from './short-list.tsx';
import classes from './short-list.module.css';

const MINUTE = 60_000;
/** Members of a cluster that are named. */
const NAMED = 60;

const NOTHING: Recent = { happenings: [], flapping: [], since: undefined };

export function useRecent(index: FleetIndex | undefined, history: StateHistory): Recent {
  const minute = Math.floor(useNow().getTime() / MINUTE) * MINUTE;
  return useMemo(() => (index ? recentChanges(index, history, minute + MINUTE) : NOTHING), [index, history, minute]);
}

export function CameAndWent({
  reading,
  recent: { happenings, since },
}: {
  reading: { data: FleetIndex | undefined; error: Error | null };
  recent: Recent;
}) {
  const { zone } = useLook();
  const [most, setMost] = useState(SHOWN);
  const begun = since === undefined ? '' : formatClock(new Date(since), zone);
  return (
    <ShortList
      title="Recent disconnects"
      lead={begun && `Last 24 h, observed by this browser since ${begun}.`}
      more={
        happenings.length > most && (
          <Button size="xs" onClick={() => setMost(most + 5 * SHOWN)}>
            Show more
          </Button>
        )
      }
      none={noneOf(reading, 'No device disconnected.')}
      good={reading.data !== undefined}
    >
      {happenings.slice(0, most).map((happening) => (
        <OneHappening key={keyOf(happening)} happening={happening} />
      ))}
    </ShortList>
  );
}

export function FlappingDevices({ recent: { flapping } }: { recent: Recent }) {
  if (flapping.length === 0) return null;
  return (
    <ShortList title="Flapping" lead="Offline three or more times in 24 h." none="">
      {flapping.slice(0, SHOWN).map(({ id, name, times, at }) => (
        <Line
          key={id}
          name={name}
          to={paths.device(id)}
          detail={`went Offline ${formatCount(times)} times`}
          at={<Time at={at} />}
        />
      ))}
    </ShortList>
  );
}

const keyOf = (happening: Happening) =>
  happening.kind === 'gap'
    ? `gap ${happening.from}`
    : `${happening.cluster.rows[0]?.id} ${happening.to} ${happening.cluster.from}`;

function OneHappening({ happening }: { happening: Happening }) {
  const { zone } = useLook();
  const clock = (at: number) => formatClock(new Date(at), zone);
  if (happening.kind === 'gap')
    return (
      <li className={classes.gap}>
        No data between {clock(happening.from)} and {clock(happening.to)}
      </li>
    );
  const { to, cluster } = happening;
  const [first] = cluster.rows;
  if (!first) return null;
  const did = to === 'Online' ? 'came back' : to === 'Offline' ? 'went Offline' : `became ${to}`;
  // Nobody saw the moment itself, only that it is between two looks.
  const unsure = cluster.rows.some(({ at, since }) => at - since > 5 * MINUTE);
  const at = unsure ? (
    `${clock(Math.min(...cluster.rows.map(({ since }) => since)))} – ${clock(cluster.to)}`
  ) : (
    <Time at={cluster.to} />
  );
  if (cluster.rows.length === 1) {
    const after = first.away === undefined ? '' : ` after ${formatDuration(first.away, 'rough')}`;
    const detail = [`${did}${after}`, ownersText(first)].filter(Boolean).join(' · ');
    return <Line name={first.name} to={paths.device(first.id)} state={to} detail={detail} at={at} />;
  }
  return (
    <Line name={clusterText(cluster)} state={to} detail={`${did} ${spanText(cluster)}`} at={at}>
      <details className={classes.members}>
        <summary>{cluster.rows.length > NAMED ? `The first ${NAMED}` : 'Which devices'}</summary>
        <ul>
          {cluster.rows.slice(0, NAMED).map(({ id, name }) => (
            <li key={id}>
              <Link to={paths.device(id)}>
                <bdi>{name}</bdi>
              </Link>
            </li>
          ))}
        </ul>
      </details>
    </Line>
  );
}
