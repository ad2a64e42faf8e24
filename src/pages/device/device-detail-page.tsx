// One device: its details, inventory, location, history, jobs, tunnels, tags and installation.
import { Fragment } from 'react';
import { useLocation, useNavigate, useParams } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import { IconChevronRight, IconKey, IconPencil, IconRocket, IconTrash } from '@tabler/icons-react';
import { isMissing } from '#/api/api-error.ts';
import { useOffered } from '#/api/capabilities.ts';
import { deviceQueries } from '#/api/devices.ts';
import { deviceEndpoints, type Device } from '#/contract/devices.ts';
import { jobEndpoints } from '#/contract/jobs.ts';
import { AgentMark } from '#/fleet/agent-mark.tsx';
import { problemText } from '#/fleet/agent-words.ts';
import { OriginLine } from '#/features/audit-link/origin.tsx';
import { useAuditLink } from '#/features/audit-link/use-audit-link.tsx';
import { paths } from '#/paths.ts';
import { ShortId } from '#/ui/controls/copy-button.tsx';
import { Page, Section } from '#/ui/page/page.tsx';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { lazyDialog, lazyPart } from '#/ui/late/lazy-dialog.tsx';
import { Empty, Skeleton, View } from '#/ui/page/view.tsx';
import { DeviceAgent } from './device-agent.tsx';
import { DeviceFacts } from './device-facts.tsx';
import { DeviceJobs } from './device-jobs.tsx';
import { DevicePosition } from './device-position.tsx';
import { DeviceTags } from './device-tags.tsx';
import { DeviceTunnels } from './device-tunnels.tsx';
import { DeviceVersions } from './device-versions.tsx';
import { useDeviceDialog, type DeviceDialog } from '#/features/device-dialogs/use-device-dialog.ts';
import { inventoryOf, addressOf } from '#/features/device-filters/inventory.ts';
import { KeyCommands } from '#/features/install/key-commands.tsx';
import { useInstall } from '#/features/install/use-install.ts';
import { EDITABLE } from '#/features/device-fields/changed-fields.ts';
import { Status } from '#/ui/controls/status.tsx';
import { Link } from '#/ui/url/link.tsx';
import { EditableFact } from './editable-fact.tsx';
import classes from './device-page.module.css';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';

const DeviceDialogs = lazyDialog(() => import('#/features/device-dialogs/device-dialogs.tsx'), 'DeviceDialogs');

const DeviceHistory = lazyPart(() => import('#/features/device-history/device-history.tsx'), 'DeviceHistory');

const DeviceTimeline = lazyPart(() => import('#/features/device-history/device-timeline.tsx'), 'DeviceTimeline');

export function DeviceDetailPage() {
  const { id = '' } = useParams();
  return <OneDevice key={id} id={id} />;
}

function OneDevice({ id }: { id: string }) {
  const query = useQuery(deviceQueries.one(id));
  const navigate = useNavigate();
  const dialog = useDeviceDialog();
  const device = query.data;
  const back = <Link to={paths.devices()}>Devices</Link>;

  if (isMissing(query.error))
    return (
      <Page title="No such device" back={back}>
        <Empty
          title={device ? `${device.DeviceName} no longer exists.` : 'There is no device with this id.'}
          next={{ label: 'All devices', to: paths.devices(), variant: 'default' }}
        >
          It may have been deleted, or the address is incomplete: <span className="mono">{id}</span>
        </Empty>
      </Page>
    );
  return (
    <Page
      title={device?.DeviceName || 'Device'}
      back={back}
      heading={device && <Heading device={device} />}
      lead={device && <Lead device={device} />}
      actions={device && <Actions device={device} dialog={dialog} />}
    >
      <View query={query} name="the device" rows={10} empty={null}>
        {(read) => <Sections device={read} />}
      </View>
      <DeviceDialogs
        open={
          device &&
          dialog.name && { dialog, device, onDeleted: () => void navigate(paths.devices(), { replace: true }) }
        }
      />
    </Page>
  );
}

function Heading({ device }: { device: Device }) {
  const problem = problemText(device);
  return (
    <span className={classes.heading}>
      <bdi>{device.DeviceName || device.DeviceId}</bdi>
      <span className={classes.state}>
        <StateMark state={device.DeviceStatus} />
        {problem && <AgentMark problem={problem} />}
      </span>
    </span>
  );
}

const isNew = ({ DeviceStatus }: Device) => DeviceStatus === 'NotConnected';

function Lead({ device }: { device: Device }) {
  const { DeviceId, LastSeenTime } = device;
  const problem = problemText(device);
  return (
    <span className={classes.lead}>
      {problem && <span>{problem}</span>}
      <Status>{isNew(device) && !problem && 'Waiting for its first connection…'}</Status>
      {!isNew(device) && LastSeenTime && (
        <span>
          Last seen <Timestamp text={LastSeenTime} />
        </span>
      )}
      <ShortId value={DeviceId} />
      {useAuditLink(DeviceId)}
    </span>
  );
}

function Actions({ device, dialog }: { device: Device; dialog: DeviceDialog }) {
  const icon = { size: 18, stroke: 1.6, 'aria-hidden': true } as const;
  const hasKeys = useOffered('device-key') === true;
  const noDeploy = useMay(jobEndpoints.submit, 'Deploying');
  const noEdit = useMay(deviceEndpoints.update, 'Editing devices');
  const noKey = useMay(deviceEndpoints.rekey, 'Creating a new key');
  const noDelete = useMay(deviceEndpoints.remove, 'Deleting devices');
  return (
    <>
      <Gate why={noDeploy}>
        <Button
          variant="filled"
          component={Link}
          to={paths.deploy({ device: device.DeviceId })}
          leftSection={<IconRocket {...icon} />}
        >
          Deploy
        </Button>
      </Gate>
      <Gate why={noEdit}>
        <Button component={Link} {...dialog.link('edit')} leftSection={<IconPencil {...icon} />}>
          Edit
        </Button>
      </Gate>
      {hasKeys && (
        <Gate why={noKey}>
          <Button
            component={Link}
            {...dialog.link('new-key')}
            className={classes.newKey}
            leftSection={<IconKey {...icon} />}
          >
            New key
          </Button>
        </Gate>
      )}
      <Gate why={noDelete}>
        <Button component={Link} {...dialog.link('delete')} leftSection={<IconTrash {...icon} />}>
          Delete
        </Button>
      </Gate>
    </>
  );
}

function Sections({ device }: { device: Device }) {
  const first = isNew(device);
  const install = <DeviceInstall folded={!first} />;
  const hasProblem = Boolean(device.AgentProblem);
  const hasHistory = useOffered('history');
  return (
    <div className={classes.columns}>
      <div className={classes.work} data-in-order>
        {first && install}
        {!first && hasHistory && <DeviceHistory open={{ device }} fallback={<HistorySkeleton />} />}
        {!first && hasHistory === undefined && <HistorySkeleton />}
        <DeviceJobs device={device} />
        <DeviceTunnels device={device} />
        <DeviceTimeline open={{ device }} />
      </div>
      <div className={classes.about}>
        {hasProblem && <DeviceAgent device={device} />}
        <DeviceDetails device={device} />
        <DeviceVersions id={device.DeviceId} />
        <DevicePosition device={device} />
        <DeviceTags device={device} />
        {!hasProblem && <DeviceAgent device={device} />}
        <DeviceInventory device={device} />
        <DeviceFacts id={device.DeviceId} />
        <OriginLine object={device.DeviceId} />
      </div>
      {!first && (
        <div className={classes.work} data-in-order>
          {install}
        </div>
      )}
    </div>
  );
}

const HistorySkeleton = () => (
  <Section title="History">
    <Skeleton name="the history" rows={2} />
  </Section>
);

/** What the device or its service reported, including fields that are unknown here. */
function DeviceInventory({ device }: { device: Device }) {
  const rows = inventoryOf(device);
  return (
    <Section title="Inventory">
      {rows.length === 0 ? (
        <p className="small dim">The agent reports its system when it connects.</p>
      ) : (
        <dl className={classes.facts}>
          {rows.map(({ label, value }) => (
            <Fragment key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </Fragment>
          ))}
        </dl>
      )}
    </Section>
  );
}

/**
 * The commands that make a machine this device. The service never shows its key again, so they have a placeholder.
 * `folded`: the device has connected before.
 */
function DeviceInstall({ folded }: { folded: boolean }) {
  const dialog = useDeviceDialog();
  const { command } = useInstall();
  const noKey = useMay(deviceEndpoints.rekey, 'Creating a new key');
  const hasKeys = useOffered('device-key') === true;
  const isPaired = (useLocation().state as { paired?: boolean } | null)?.paired === true;
  return (
    <Section
      title="Install"
      lead={[
        isPaired && !folded && 'Its agent is installed already and connects by itself.',
        command && 'Insert the device key where marked.',
        hasKeys && noKey === undefined && 'If the key is lost, create a new one.',
      ]
        .filter(Boolean)
        .join(' ')}
      actions={
        hasKeys && (
          <Gate why={noKey}>
            <Button
              component={Link}
              {...dialog.link('new-key')}
              size="xs"
              leftSection={<IconKey size={16} stroke={1.6} aria-hidden />}
            >
              New key
            </Button>
          </Gate>
        )
      }
    >
      {folded || isPaired ? (
        <details className={classes.commands}>
          <summary className="inline small dim">
            <IconChevronRight className="turns" size={16} stroke={1.6} aria-hidden />
            Show commands
          </summary>
          <KeyCommands />
        </details>
      ) : (
        <KeyCommands />
      )}
    </Section>
  );
}

/** The editable fields of a device, and a few facts beside them. */
function DeviceDetails({ device }: { device: Device }) {
  const { CreatedTime } = device;
  const address = addressOf(device);
  return (
    <Section title="Details">
      <dl className={classes.facts}>
        {EDITABLE.map((field) => (
          <EditableFact key={field} device={device} field={field} />
        ))}
        <dt>Address</dt>
        <dd className={address ? 'mono' : 'dim'}>{address || 'Not known yet'}</dd>
        {CreatedTime && (
          <>
            <dt>Added</dt>
            <dd>
              <Timestamp text={CreatedTime} />
            </dd>
          </>
        )}
      </dl>
    </Section>
  );
}
