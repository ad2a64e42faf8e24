// The review before a deploy: which devices exactly, which of them will wait, and what will run on them.
import { Link } from 'react-router';
import { Button } from '@mantine/core';
import type { Device } from '#/contract/devices.ts';
import { paths } from '#/paths.ts';
import { rowName } from '#/ui/data-table.tsx';
import { formatCount } from '#/ui/format.ts';
import { StateMark } from '#/ui/state-mark.tsx';
import { Time } from '#/ui/time.tsx';
import { Failure, Skeleton } from '#/ui/view.tsx';
import { VirtualTable } from '#/ui/virtual-table.tsx';
import type { VirtualColumn } from '#/ui/virtual-table.tsx';
import { sizeText } from './deploy-what.tsx';
import { devicesText } from '#/jobs/job-words.ts';
import { QueueAhead } from './queue-ahead.tsx';
import type { Reach, Thing } from './use-deploy-choice.ts';
import classes from './deploy.module.css';

const columns: VirtualColumn<Device>[] = [
  {
    header: 'Name',
    width: '65%',
    cell: ({ DeviceId, DeviceName }) => (
      <Link to={paths.device(DeviceId)} className={rowName}>
        {DeviceName || DeviceId}
      </Link>
    ),
  },
  { header: 'Status', cell: ({ DeviceStatus }) => <StateMark state={DeviceStatus} /> },
];

/** Says that a target stands for no device at the moment. */
export const nobody = ({ label = '', confirm }: Reach): string =>
  label === `tag ${confirm}` ? `No device has the ${label} now.` : `No device is in ${label} now.`;

/** "Online 34", "Offline 3", and whatever else the service says. */
function statusCounts(devices: Device[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const { DeviceStatus } of devices) counts.set(DeviceStatus, (counts.get(DeviceStatus) ?? 0) + 1);
  return [...counts].sort(([one], [two]) => two.localeCompare(one));
}

function Devices({ reach, devices }: { reach: Reach; devices: Device[] }) {
  const online = devices.filter(({ DeviceStatus }) => DeviceStatus === 'Online').length;
  const away = devices.length - online;
  if (devices.length === 0)
    return <p className={classes['warning']}>{nobody(reach)} A name must be the same, letter for letter.</p>;
  return (
    <>
      <p className={classes['figures']}>
        <strong>{devicesText(devices.length)}</strong>
        {statusCounts(devices).map(([status, count]) => (
          <StateMark key={status} state={status} label={`${formatCount(count)} ${status}`} />
        ))}
      </p>
      <p className="dim">
        {away === 0
          ? `${devices.length === 1 ? 'It runs' : 'Each runs it'} as soon as its earlier jobs are done.`
          : online === 0
            ? `${away === 1 ? 'It waits' : 'All wait'} until ${away === 1 ? 'the device is' : 'they are'} back online.`
            : `${devicesText(away)} will wait until back online; the others run it as soon as their earlier jobs are done.`}
      </p>
      <QueueAhead devices={devices} />
      <VirtualTable
        name="Devices that get it"
        bounded
        rows={devices}
        rowKey={({ DeviceId }) => DeviceId}
        columns={columns}
      />
      <p className={classes['asOf']}>
        <span className="dim">
          As of <Time at={reach.at} />
        </span>
        <Button size="compact-xs" variant="default" loading={reach.isFetching} onClick={() => void reach.refetch()}>
          Check again
        </Button>
      </p>
    </>
  );
}

/** In words: the command of an artifact carries a token and is the service's own business. */
function What({ thing }: { thing: Thing }) {
  if ('workflow' in thing)
    return (
      <>
        <p>
          Runs the command of workflow <strong>{thing.text}</strong>:
        </p>
        <pre className={classes['code']} tabIndex={0} aria-label="Command of the workflow">
          {thing.workflow.Command}
        </pre>
      </>
    );
  const { artifact } = thing;
  return (
    <p>
      Downloads <strong>{thing.text}</strong> ({sizeText(artifact)}),{' '}
      {artifact.IsScript
        ? 'makes it executable and runs the command given with it.'
        : 'unpacks it, runs its update.sh, then removes both.'}
    </p>
  );
}

export function DeployReview({ reach, thing }: { reach: Reach; thing: Thing | undefined }) {
  return (
    <>
      <h3>Where</h3>
      {reach.label === undefined ? (
        <p className="dim">Choose a target to see which devices get it.</p>
      ) : reach.devices ? (
        <Devices reach={reach} devices={reach.devices} />
      ) : reach.error ? (
        <Failure what={reach.label} error={reach.error} busy={reach.isFetching} onRetry={reach.refetch} />
      ) : (
        <Skeleton name="the devices" rows={4} />
      )}
      <h3>What</h3>
      {thing ? <What thing={thing} /> : <p className="dim">Choose what to run.</p>}
    </>
  );
}
