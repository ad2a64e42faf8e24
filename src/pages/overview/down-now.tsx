// What is down now, the longest first; a site that fell as a whole is one line.
import { useMemo } from 'react';
import { Link } from 'react-router';
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import type { StateHistory } from '#/features/device-history/state-history.ts';
import { paths } from '#/paths.ts';
import { formatCount } from '#/lib/format.ts';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { Time } from '#/ui/controls/time.tsx';
import { clusterText, placeText, spanText } from './cluster-words.ts';
import { downNow, listOf } from './down-list.ts';
import type { DownDevice } from './down-list.ts';
import { Line, SHOWN, ShortList, noneOf } from './short-list.tsx';
import type { ChangeCluster } from './together.ts';

interface DownNowProps {
  reading: { data: FleetIndex | undefined; error: Error | null };
  history: StateHistory;
}

export function DownNow({ reading, history }: DownNowProps) {
  const index = reading.data;
  const down = useMemo(() => (index ? downNow(index, history) : []), [index, history]);
  const count = useMemo(() => index?.query({ filter: { status: ['offline'] } }).length ?? 0, [index]);
  const isSeen = index !== undefined && count < index.size;
  return (
    <ShortList
      title="Down now"
      lead={down.length > 1 ? 'The longest first.' : undefined}
      all={
        count > 0 && (
          <Link to={paths.devices({ status: 'Offline', sort: 'lastSeen' })}>All {formatCount(count)} Offline</Link>
        )
      }
      none={noneOf(reading, isSeen ? 'Every device that was seen before is Online.' : 'No device has been seen yet.')}
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
  const at = Number.isFinite(from) ? <Time at={new Date(from)} /> : 'not known since when';
  if (rows.length === 1)
    return (
      <Line
        name={
          <Link to={paths.device(first.id)}>
            <StateMark state="Offline" label={<bdi>{first.name}</bdi>} />
          </Link>
        }
        detail={<bdi>{placeText(first)}</bdi>}
        at={at}
      />
    );
  const list = listOf(index, cluster);
  const text = clusterText(cluster, list?.count);
  return (
    <Line
      name={
        list ? (
          <Link to={list.to}>
            <StateMark state="Offline" label={text} />
          </Link>
        ) : (
          <StateMark state="Offline" label={text} />
        )
      }
      detail={`went Offline ${spanText(cluster)}`}
      at={at}
    />
  );
}
