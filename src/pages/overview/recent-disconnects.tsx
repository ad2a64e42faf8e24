// The devices that disconnected and came back in the last day, the latest first, with the times when the service was
// down; and the flapping devices.
import { useState } from 'react';
import { Button } from '@mantine/core';
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import { paths } from '#/paths.ts';
import { formatClock, formatCount, formatDuration } from '#/lib/format.ts';
import { useLook } from '#/ui/controls/look.ts';
import { Time } from '#/ui/controls/time.tsx';
import { Link } from '#/ui/url/link.tsx';
import { clusterText, ownersText, spanText } from './change-clusters.ts';
import type { Flapping, RecentEntry } from './recent-changes.ts';
import { Line, SHOWN, ShortList, noneOf } from './short-list.tsx';
import type { Recent } from './use-recent.ts';
import classes from './short-list.module.css';

/** Devices of a cluster listed by name. */
const NAMED = 60;

export function RecentDisconnects({ index, recent }: { index: FleetIndex | undefined; recent: Recent }) {
  const { zone } = useLook();
  const [most, setMost] = useState(SHOWN);
  const { entries, since, data, error } = recent;
  return (
    <ShortList
      title="Recent disconnects"
      lead={
        since === undefined
          ? 'Last 24 h.'
          : `Since ${formatClock(new Date(since), zone)}; there were more in the last 24 h.`
      }
      more={
        entries.length > most && (
          <Button size="xs" onClick={() => setMost(most + 5 * SHOWN)}>
            Show more
          </Button>
        )
      }
      none={noneOf({ data: data && index, error }, 'No device disconnected.')}
      good={data !== undefined && index !== undefined}
    >
      {entries.slice(0, most).map((entry) => (
        <Entry key={keyOf(entry)} entry={entry} />
      ))}
    </ShortList>
  );
}

export function FlappingDevices({ flapping }: { flapping: readonly Flapping[] }) {
  if (flapping.length === 0) return null;
  return (
    <ShortList title="Flapping" lead="Offline three or more times in 24 h." none={{ text: '' }}>
      {flapping.slice(0, SHOWN).map(({ id, name, times }) => (
        <Line key={id} name={name} to={paths.device(id)} detail={`went Offline ${formatCount(times)} times`} at="" />
      ))}
    </ShortList>
  );
}

const keyOf = (entry: RecentEntry) =>
  entry.kind === 'gap' ? `gap ${entry.from}` : `${entry.cluster.rows[0]?.id} ${entry.to} ${entry.cluster.from}`;

function Entry({ entry }: { entry: RecentEntry }) {
  const { zone } = useLook();
  const clock = (at: number) => formatClock(new Date(at), zone);
  if (entry.kind === 'gap')
    return (
      <li className={classes.gap}>
        The service was down between {clock(entry.from)} and {clock(entry.to)}
      </li>
    );
  const { to, cluster } = entry;
  const [first] = cluster.rows;
  if (!first) return null;
  const did = to === 'Online' ? 'came back' : to === 'Offline' ? 'went offline' : `became ${to}`;
  const at = <Time at={cluster.to} />;
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
