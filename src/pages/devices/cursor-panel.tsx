// The device under the cursor, beside the table of a wide window: its last day, details, last jobs and actions.
import type { ReactNode } from 'react';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconExternalLink, IconPencil, IconRocket, IconX } from '@tabler/icons-react';
import { useOffered } from '#/api/capabilities.ts';
import { jobQueries } from '#/api/jobs.ts';
import { useMay } from '#/api/people.ts';
import { deviceEndpoints, type Device } from '#/contract/devices.ts';
import { jobEndpoints, type Job } from '#/contract/jobs.ts';
import { useDeviceDialog } from '#/features/device-dialogs/use-device-dialog.ts';
import { addressOf } from '#/features/device-filters/inventory.ts';
import { DeviceDay } from '#/features/device-history/device-history.tsx';
import { VerdictMark } from '#/features/jobs/verdict-mark.tsx';
import { verdictOf } from '#/features/jobs/verdict.ts';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { paths } from '#/paths.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { IconButton } from '#/ui/controls/icon-button.tsx';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { View } from '#/ui/page/view.tsx';
import { Link } from '#/ui/url/link.tsx';
import classes from './cursor-panel.module.css';

/** Jobs shown; the page of the device has all. */
const MOST_JOBS = 5;
const icon = { size: 16, stroke: 1.6, 'aria-hidden': true } as const;

export function CursorPanel({ device, onClose }: { device: Device; onClose: () => void }) {
  const { DeviceId, DeviceName, DeviceStatus } = device;
  const hasHistory = useOffered('history') === true;
  const hasQueue = useOffered('queue') === true;
  return (
    <div className={classes.panel}>
      <div className={classes.head}>
        <h2>
          <Link to={paths.device(DeviceId)} className={classes.name}>
            <MiddleEllipsis text={DeviceName || DeviceId} />
          </Link>
        </h2>
        <IconButton icon={IconX} size={30} label="Close the panel" onClick={onClose} />
      </div>
      <StateMark state={DeviceStatus} />
      <Actions id={DeviceId} />
      {hasHistory && (
        <Part title="Last 24 hours">
          <DeviceDay device={device} />
        </Part>
      )}
      <Part title="Details">
        <Details device={device} />
      </Part>
      {hasQueue && (
        <Part title="Last jobs">
          <LastJobs id={DeviceId} />
        </Part>
      )}
    </div>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h3 className={classes.title}>{title}</h3>
      {children}
    </section>
  );
}

function Actions({ id }: { id: string }) {
  const dialog = useDeviceDialog();
  const noDeploy = useMay(jobEndpoints.submit, 'Deploying');
  const noEdit = useMay(deviceEndpoints.update, 'Editing devices');
  return (
    <div className={classes.actions}>
      <Button component={Link} to={paths.device(id)} size="xs" leftSection={<IconExternalLink {...icon} />}>
        Open
      </Button>
      <Gate why={noDeploy}>
        <Button component={Link} to={paths.deploy({ device: id })} size="xs" leftSection={<IconRocket {...icon} />}>
          Deploy
        </Button>
      </Gate>
      <Gate why={noEdit}>
        <Button component={Link} {...dialog.link('edit', id)} size="xs" leftSection={<IconPencil {...icon} />}>
          Edit
        </Button>
      </Gate>
    </div>
  );
}

function Details({ device }: { device: Device }) {
  const { DeviceId, DeviceGroup, CustomerName, CustomerSite, LastSeenTime, Tags = [] } = device;
  const facts: [label: string, value: ReactNode][] = [
    ['Group', DeviceGroup],
    ['Tags', Tags.map(({ TagId, TagName }) => TagName || TagId).join(', ')],
    ['Customer', CustomerName],
    ['Site', CustomerSite],
    [
      'Address',
      addressOf(device) && (
        <span key="address" className="mono">
          {addressOf(device)}
        </span>
      ),
    ],
    ['Last seen', LastSeenTime && <Timestamp key="seen" text={LastSeenTime} />],
    [
      'ID',
      <span key="id" className="mono">
        {DeviceId}
      </span>,
    ],
  ];
  return (
    <dl className={classes.facts}>
      {facts.map(
        ([label, value]) =>
          value && (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

function LastJobs({ id }: { id: string }) {
  const own = useQuery(jobQueries.ofDevice(id));
  return (
    <View
      query={own}
      name="its jobs"
      rows={3}
      isEmpty={(jobs) => jobs.length === 0}
      empty={<p className="small dim">No jobs yet.</p>}
    >
      {(jobs) => (
        <ul className={classes.jobs}>
          {jobs
            .slice(-MOST_JOBS)
            .toReversed()
            .map((job) => (
              <li key={job.JobId}>
                <Link to={pathOf(job)}>
                  <MiddleEllipsis text={job.JobName || job.JobId} />
                </Link>
                <VerdictMark judgement={verdictOf(job)} />
              </li>
            ))}
        </ul>
      )}
    </View>
  );
}

const pathOf = ({ JobId, ParentJobId }: Job) => (ParentJobId ? paths.childJob(ParentJobId, JobId) : paths.job(JobId));
