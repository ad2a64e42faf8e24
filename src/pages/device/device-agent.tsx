// The agent of a device: its version, its problem and what to do about it, and its update.
import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { deviceEndpoints, type Device } from '#/contract/devices.ts';
import { rotationText, whyNoUpdate } from '#/fleet/agent-limits.ts';
import { problemText } from '#/fleet/agent-words.ts';
import { Section } from '#/ui/page/page.tsx';
import { CommandLine } from '#/ui/controls/command-line.tsx';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { AddressNote } from '#/features/install/address-note.tsx';
import { updateCommand } from '#/features/install/install-commands.ts';
import { useDeviceDialog } from '#/features/device-dialogs/use-device-dialog.ts';
import { Link } from '#/ui/url/link.tsx';
import classes from './device-page.module.css';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';

export function DeviceAgent({ device }: { device: Device }) {
  const dialog = useDeviceDialog();
  const noUpdate = useMay(deviceEndpoints.updateAgent, 'Updating agents');
  const noDowngrade = useMay(deviceEndpoints.downgradeAgent, 'Downgrading an agent');
  const { AgentVersion, AgentUpdate, AgentProblem } = device;
  // Other services do not report it, and a device that never connected has no agent yet.
  if (AgentUpdate === undefined || !AgentVersion) return null;
  const why = whyNoUpdate(device);
  const rotation = rotationText(device);
  const icon = <IconRefresh size={16} stroke={1.6} aria-hidden />;
  const button = { size: 'xs', leftSection: icon } as const;
  return (
    <Section
      title="Agent"
      actions={
        why === undefined ? (
          <Gate why={noUpdate}>
            <Button component={Link} {...dialog.link('update-agent')} {...button}>
              Update agent
            </Button>
          </Gate>
        ) : AgentUpdate === 'Newer' && device.DeviceStatus === 'Online' ? (
          <Gate why={noDowngrade}>
            <Button component={Link} {...dialog.link('update-agent')} size="xs">
              Downgrade agent
            </Button>
          </Gate>
        ) : (
          <Gate why={why}>
            <Button {...button}>Update agent</Button>
          </Gate>
        )
      }
    >
      {AgentProblem && <Problem device={device} />}
      <dl className={classes.facts}>
        <dt>Version</dt>
        <dd>{AgentVersion}</dd>
        <dt>Update</dt>
        <dd>
          {AgentUpdate === 'Unable'
            ? device.AgentProblemText || 'It cannot update itself; its log says why.'
            : (why ?? 'Another version is available')}
        </dd>
        {rotation !== undefined && (
          <>
            <dt>Key</dt>
            <dd>{rotation}</dd>
          </>
        )}
      </dl>
      {/* These can only be updated on the device. */}
      {(AgentProblem === 'TooOld' || AgentProblem === 'TooNew' || AgentUpdate === '') && (
        <>
          <CommandLine
            label={AgentProblem === 'TooNew' ? "Or put this service's agent on the device" : 'Update it on the device'}
            command={updateCommand(location.origin)}
          />
          <AddressNote origin={location.origin} />
        </>
      )}
    </Section>
  );
}

function Problem({ device }: { device: Device }) {
  const { AgentProblemText, AgentProblemTime } = device;
  return (
    <div className={classes.problem}>
      <StateMark state="Interrupted" label={problemText(device)} />
      <p>
        {AgentProblemText}
        {AgentProblemTime && (
          <>
            {' '}
            <span className="dim">
              <Timestamp text={AgentProblemTime} />
            </span>
          </>
        )}
      </p>
    </div>
  );
}
