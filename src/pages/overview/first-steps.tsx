// A checklist from an empty account to a device that can be reached from anywhere; it ticks itself off. It has only the steps
// that this person may take.
import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import { IconCircle, IconCircleCheckFilled } from '@tabler/icons-react';
import { polled } from '#/api/query.ts';
import { artifactQueries } from '#/api/artifacts.ts';
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import { useJobs } from '#/features/jobs/use-jobs.ts';
import { useOwnAgent } from '#/api/own-agent.ts';
import { tunnelQueries } from '#/api/tunnels.ts';
import { addAtOnce } from '#/features/install/at-once.ts';
import { DeploySample } from '#/features/install/deploy-sample.tsx';
import { paths } from '#/paths.ts';
import { stored } from '#/lib/stored.ts';
import { focusPage } from '#/ui/dialog/use-focus-back.ts';
import { useStore } from '#/ui/state/use-store.ts';
import { Link } from '#/ui/url/link.tsx';
import classes from './first-steps.module.css';
import { artifactEndpoints } from '#/contract/artifacts.ts';
import { deviceEndpoints } from '#/contract/devices.ts';
import { jobEndpoints } from '#/contract/jobs.ts';
import { tunnelEndpoints } from '#/contract/tunnels.ts';
import { useMay } from '#/api/people.ts';

/** Accounts with more devices than this need no first steps. */
const MOST_DEVICES = 25;
/** Milliseconds between two readings of the artifacts, which may be uploaded elsewhere. */
const POLL = 10_000;

const hidden = stored('muster-first-steps', false, { read: () => true, print: () => 'hidden' });

interface FirstStepsProps {
  devices: number;
  index: FleetIndex | undefined;
}

interface Step {
  title: string;
  how: string;
  to: string;
  link: string;
  /** Undefined until it is known. */
  done: boolean | undefined;
  /** Why this person cannot take it. */
  why?: string | undefined;
}

/** The id of the first device, if there is one. */
function firstDevice(index: FleetIndex | undefined): string | undefined {
  const [first] = index?.rows ?? [];
  return first === undefined ? undefined : index?.idOf(first);
}

function useSteps({ devices, index }: FirstStepsProps): Step[] {
  const hasOwnAgent = useOwnAgent();
  const artifacts = useQuery(polled(artifactQueries.list(), POLL)).data;
  const jobs = useJobs({}, { most: 1 }).data;
  const tunnels = useQuery(tunnelQueries.list()).data;
  const noAdding = useMay(deviceEndpoints.create, 'Adding devices');
  const noUpload = useMay(artifactEndpoints.upload, 'Uploading artifacts');
  const noDeploy = useMay(jobEndpoints.submit, 'Deploying');
  const noPlacing = useMay(deviceEndpoints.locate, 'Setting a location');
  const noTunnel = useMay(tunnelEndpoints.open, 'Opening tunnels');
  const any = (list: readonly unknown[] | undefined) => list && list.length > 0;
  const first = firstDevice(index);
  const device = first === undefined ? paths.devices() : paths.device(first);
  // It is enough that the device has been seen once.
  const seen = index && hasBeenOnline(index);
  const steps: Step[] = [
    {
      title: 'Add a device',
      how: hasOwnAgent ? 'One command in a terminal adds this computer.' : 'Its agent signs in with a key.',
      to: hasOwnAgent ? paths.addThisMachine() : paths.addDevice(),
      link: hasOwnAgent ? 'Add this machine' : 'Add a device',
      done: devices > 0,
      why: noAdding,
    },
    {
      title: 'See it online',
      how: 'As soon as its agent runs, wherever it is.',
      to: device,
      link: 'Open the device',
      done: seen,
    },
    {
      title: 'Upload an artifact',
      how: 'A folder with an update.sh in it, or a script.',
      to: paths.artifacts(),
      link: 'Go to Artifacts',
      done: any(artifacts),
      why: noUpload,
    },
    {
      title: 'Deploy it',
      how: 'To the device, its group or a tag. Watch the log while it runs.',
      to: paths.deploy(),
      link: 'Go to Deploy',
      done: any(jobs),
      why: noDeploy,
    },
    {
      title: 'Set its location',
      how: 'Click the map, enter coordinates, or use the GPS of a phone beside it.',
      to: paths.map(),
      link: 'Open the map',
      done: index?.places && index.query({ filter: { place: 'placed' } }).length > 0,
      why: noPlacing,
    },
    {
      title: 'Open a tunnel',
      how: 'A web page or a shell of the device, from anywhere.',
      to: paths.tunnels(),
      link: 'Go to Tunnels',
      done: any(tunnels),
      why: noTunnel,
    },
  ];
  return steps.filter(({ why }) => why === undefined);
}

/** If the service reports no times, it is only known which devices are Online now. */
const hasBeenOnline = (index: FleetIndex): boolean =>
  index.query({ filter: { status: ['online'] } }).length > 0 || index.latest(index.rows, 'LastSeenTime', 1).length > 0;

export function FirstSteps(props: FirstStepsProps) {
  const isHidden = useStore(hidden);
  const noAdding = useMay(deviceEndpoints.create, 'Adding devices');
  const steps = useSteps(props);
  const hasOwnAgent = useOwnAgent();
  const left = steps.filter(({ done }) => !done).length;
  const isKnown = steps.every(({ done }) => done !== undefined);
  // "All set" appears only if the last step was completed while the page was open.
  const [wasOpen, setWasOpen] = useState(false);
  if (isKnown && left > 0 && !wasOpen) setWasOpen(true);
  // Who may add no device does not set up a fleet.
  if (isHidden || noAdding !== undefined || props.devices > MOST_DEVICES || (isKnown && left === 0 && !wasOpen))
    return null;
  if (!isKnown && props.devices > 0 && !wasOpen) return <div hidden data-reading />;
  const next = steps.find(({ done }) => !done);
  return (
    <section className={classes.steps} aria-label="First steps">
      <header>
        <h2>{left === 0 ? 'All set' : 'First steps'}</h2>
        <span className={classes.count} role="status">
          {steps.length - left} of {steps.length} done
        </span>
        {props.devices > 0 && (
          <Button
            variant="subtle"
            size="compact-sm"
            onClick={() => {
              hidden.set(true);
              focusPage();
            }}
          >
            Hide
          </Button>
        )}
      </header>
      <ol>
        {steps.map((step) => (
          <li key={step.title} data-done={step.done || undefined} data-next={step === next || undefined}>
            {step.done ? (
              <IconCircleCheckFilled size={18} role="img" aria-label="Done" />
            ) : (
              <IconCircle size={18} stroke={1.6} role="img" aria-label="To do" />
            )}
            <div>
              <strong>{step.title}</strong>
              <p>{step.how}</p>
              {step === next ? (
                <Button
                  variant="filled"
                  component={Link}
                  to={step.to}
                  size="xs"
                  {...(step.to === paths.addThisMachine() && props.devices === 0 && { onClick: addAtOnce })}
                >
                  {step.link}
                </Button>
              ) : (
                <Link to={step.to}>{step.link}</Link>
              )}
              {step.to === paths.artifacts() && step.done === false && hasOwnAgent && props.devices > 0 && (
                <DeploySample size="xs" device={firstDevice(props.index)} />
              )}
              {step === next && step.to === paths.addThisMachine() && (
                <Button component={Link} to={paths.addDevice()} size="xs">
                  Add a device
                </Button>
              )}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}
