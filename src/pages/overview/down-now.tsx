// The devices that are down now, the longest first; a site that lost its uplink is one line.
import { useMemo } from 'react';
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import { paths } from '#/paths.ts';
import { formatCount } from '#/lib/format.ts';
import { Time } from '#/ui/controls/time.tsx';
import { Link } from '#/ui/url/link.tsx';
import { clusterText, ownersText, spanText, type ChangeCluster } from './change-clusters.ts';
import { downNow, listOf, type DownDevice } from './down-list.ts';
import { Line, SHOWN, ShortList, noneOf } from './short-list.tsx';

interface DownNowProps {
  reading: { data: FleetIndex | undefined; error: Error | null };
}

export function DownNow({ reading }: DownNowProps) {
  const index = reading.data;
  const down = useMemo(() => (index ? downNow(index) : []), [index]);
  const count = useMemo(() => index?.query({ filter: { status: ['offline'] } }).length ?? 0, [index]);
  const isSeen = useMemo(
    () => index !== undefined && index.query({ filter: { status: ['online'] } }).length > 0,
    [index],
  );
  return (
    <ShortList
      title="Down now"
      lead={down.length > 1 ? 'Longest first.' : undefined}
      all={
        count > 0 && (
          <Link to={paths.devices({ state: 'offline', sort: 'lastSeen' })}>All {formatCount(count)} offline</Link>
        )
      }
      none={noneOf(reading, isSeen ? 'Every device that has connected is online.' : 'No devices have connected yet.')}
      good={isSeen}
    >
      {index
        ? down.slice(0, SHOWN).map((cluster) => <Down key={cluster.rows[0]?.id} cluster={cluster} index={index} />)
        : []}
    </ShortList>
  );
}

function Down({ cluster, index }: { cluster: ChangeCluster<DownDevice>; index: FleetIndex }) {
  const { rows, from } = cluster;
  const [first] = rows;
  if (!first) return null;
  const at = Number.isFinite(from) ? <Time at={from} /> : 'time unknown';
  if (rows.length === 1)
    return (
      <Line
        name={first.name}
        to={paths.device(first.id)}
        state="Offline"
        detail={<bdi>{ownersText(first)}</bdi>}
        at={at}
      />
    );
  const list = listOf(index, cluster);
  return (
    <Line
      name={clusterText(cluster, list?.count)}
      to={list?.to}
      state="Offline"
      detail={`went offline ${spanText(cluster)}`}
      at={at}
    />
  );
}
