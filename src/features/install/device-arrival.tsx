// Waits for a new device to come Online, and then offers what comes next.
import { useEffect, useRef, useState } from 'react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Button, Group, Loader } from '@mantine/core';
import { polled } from '#/api/query.ts';
import { deviceEndpoints, type Device } from '#/contract/devices.ts';
import { artifactQueries } from '#/api/artifacts.ts';
import { deviceMutations, deviceQueries } from '#/api/devices.ts';
import { RunSample } from './deploy-sample.tsx';
import { paths } from '#/paths.ts';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { Link } from '#/ui/url/link.tsx';
import classes from './device-arrival.module.css';
import { jobEndpoints } from '#/contract/jobs.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';

/** Polling interval in milliseconds while somebody is waiting for the device. */
const WAITING = 1_000;

/** The device, once it has come Online; undefined unless enabled, even if it is known from elsewhere. */
export function useArrival(id: string, enabled: boolean): Device | undefined {
  // Polled even if the service reports changes, since somebody is watching for just this one.
  const isThere = (device: Device | undefined) => device?.DeviceStatus === 'Online';
  const one = polled(
    deviceQueries.one(id),
    (device) => (isThere(device) ? 5_000 : WAITING),
    (device) => !isThere(device) && WAITING,
  );
  const { data } = useQuery({ ...one, enabled });
  return enabled && isThere(data) ? data : undefined;
}

/** Names the device after the host that its agent reports. Once only: a name that somebody gives it later stays. */
export function useHostName(device: Device | undefined, enabled: boolean): void {
  const noEdit = useMay(deviceEndpoints.update, 'Renaming devices');
  const { mutate } = useMutation(deviceMutations.update(device?.DeviceId ?? ''));
  const isSent = useRef(false);
  const host = device?.SysHostname;
  const isNamed = !enabled || noEdit !== undefined || !host || host === device.DeviceName;
  useEffect(() => {
    if (isNamed || isSent.current) return;
    isSent.current = true;
    mutate({ DeviceName: host });
  }, [isNamed, host, mutate]);
}

export function AwaitDevice() {
  return (
    <div className={classes.arrival}>
      <span role="status" className="inline">
        <Loader size={14} aria-hidden />
        Waiting for its first connection…
      </span>
    </div>
  );
}

/** What to do with a device that has just come Online; the first step is the primary one. */
export function DeviceArrived({ device, onLeave }: { device: Device; onLeave: () => void }) {
  const { DeviceId: id, DeviceName: name } = device;
  const noDeploy = useMay(jobEndpoints.submit, 'Deploying');
  const artifacts = useQuery(artifactQueries.list()).data;
  // Once it is uploaded, the sample itself is an artifact; its button stays until it runs.
  const [isUploading, setUploading] = useState(false);
  const hasNothing = artifacts?.length === 0 || isUploading;
  // What had the focus may be gone, and the news should be read.
  const news = useRef<HTMLDivElement>(null);
  useEffect(() => news.current?.focus(), []);
  return (
    <>
      <div ref={news} tabIndex={-1} className={classes.arrival} data-online="true">
        <span role="status">
          <StateMark state="Online" label={`${name} is online`} />
        </span>
      </div>
      <p className="dim">
        {hasNothing
          ? 'Next, run a small script on it that prints a few lines about the device, and watch its output.'
          : 'Next, deploy one of your artifacts to it.'}
      </p>
      <Group justify="flex-end" gap="sm" className="dialog-foot">
        <Button component={Link} to={paths.device(id)} replace onClick={onLeave}>
          Open the device
        </Button>
        {hasNothing ? (
          <RunSample device={id} name={name} onUpload={() => setUploading(true)} onStarted={onLeave} />
        ) : (
          <Gate why={noDeploy}>
            <Button variant="filled" component={Link} to={paths.deploy({ device: id })} replace onClick={onLeave}>
              Deploy to it
            </Button>
          </Gate>
        )}
      </Group>
    </>
  );
}
