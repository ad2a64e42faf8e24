// Waits for a new device to come Online.
import { useQuery } from '@tanstack/react-query';
import { Button, Group, Loader } from '@mantine/core';
import { polled } from '#/api/query.ts';
import type { Device } from '#/contract/devices.ts';
import { artifactQueries } from '#/api/artifacts.ts';
import { deviceQueries } from '#/api/devices.ts';
import { DeploySample } from './deploy-sample.tsx';
import { paths } from '#/paths.ts';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { Link } from '#/ui/url/link.tsx';
import classes from './device-arrival.module.css';
import { jobEndpoints } from '#/contract/jobs.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';

/** Polling interval in milliseconds while somebody is waiting for the device. */
const WAITING = 1_000;

export function useArrival(id: string, enabled: boolean): string | undefined {
  // Polled even if the service reports changes, since somebody is watching for just this one.
  const isThere = (device: Device | undefined) => device?.DeviceStatus === 'Online';
  const one = polled(
    deviceQueries.one(id),
    (device) => (isThere(device) ? 5_000 : WAITING),
    (device) => !isThere(device) && WAITING,
  );
  const { data } = useQuery({ ...one, enabled });
  return data?.DeviceStatus;
}

export function DeviceArrival({ state, id, name }: { state: string | undefined; id: string; name: string }) {
  const online = state === 'Online';
  const noDeploy = useMay(jobEndpoints.submit, 'Deploying');
  const hasNothing = useQuery({ ...artifactQueries.list(), enabled: online }).data?.length === 0;
  return (
    <div className={classes.arrival} data-online={online}>
      <span role="status" className="inline">
        {online ? (
          <StateMark state="Online" label={`${name} is Online`} />
        ) : (
          <>
            <Loader size={14} aria-hidden />
            Waiting for it to connect…
          </>
        )}
      </span>
      {online && (
        <Group gap="xs">
          {hasNothing && <DeploySample device={id} replace variant="filled" size="xs" />}
          <Button component={Link} to={paths.device(id)} replace size="xs">
            Open the device
          </Button>
          <Gate why={noDeploy}>
            <Button component={Link} to={paths.deploy({ device: id })} replace size="xs">
              Deploy to it
            </Button>
          </Gate>
        </Group>
      )}
    </div>
  );
}
