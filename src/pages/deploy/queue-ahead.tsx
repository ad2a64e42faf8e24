// What is already queued for the devices of a deploy, which runs before it.
import { Link } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import type { Device } from '#/contract/devices.ts';
import { devicesText } from '#/jobs/job-words.ts';
import { queueQueries } from '#/jobs/queue.ts';
import { paths } from '#/paths.ts';
import { formatCount } from '#/ui/format.ts';
import { Failure, Skeleton } from '#/ui/view.tsx';
import { aheadOf } from './ahead.ts';

/** Orders named one by one; the rest is a number. */
const NAMED = 5;

export function QueueAhead({ devices }: { devices: Device[] }) {
  const queues = useQuery(queueQueries.all());
  if (!queues.data)
    return queues.error ? (
      <Failure what="the queues" error={queues.error} busy={queues.isFetching} onRetry={queues.refetch} />
    ) : (
      <Skeleton name="the queues" rows={1} />
    );
  const ahead = aheadOf(devices, queues.data);
  if (ahead.jobs === 0)
    return <p className="dim">Nothing else is queued for {devices.length === 1 ? 'it' : 'them'}.</p>;
  return (
    <>
      <p>
        {ahead.devices === devices.length && devices.length === 1
          ? 'It has'
          : `${devicesText(ahead.devices)} ${ahead.devices === 1 ? 'has' : 'have'}`}{' '}
        <strong>{ahead.jobs === 1 ? '1 job' : `${formatCount(ahead.jobs)} jobs`} ahead</strong>:
      </p>
      <ul>
        {ahead.orders.slice(0, NAMED).map(({ id, name, devices: count }) => (
          <li key={id}>
            <Link to={paths.job(id)}>{name}</Link> <span className="dim">on {devicesText(count)}</span>
          </li>
        ))}
        {ahead.orders.length > NAMED && <li className="dim">and {formatCount(ahead.orders.length - NAMED)} more</li>}
      </ul>
    </>
  );
}
