// The columns of enrolment keys, and of the devices that wait.
import { Button, Group } from '@mantine/core';
import type { EnrolmentKey, PendingDevice } from '#/contract/enrolment.ts';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { paths } from '#/paths.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import type { Dialog } from '#/ui/dialog/use-dialog.ts';
import { rowName, type Column } from '#/ui/table/table.tsx';
import { Link } from '#/ui/url/link.tsx';
import type { EnrolmentDialog } from './enrolment-dialogs.tsx';
import { BECAUSE, endedBecause, factsText, usesText } from './enrolment-words.ts';

export const pendingColumns = (
  dialog: Dialog<EnrolmentDialog>,
  noApproval: string | undefined,
  doubles: ReadonlyMap<string, string>,
): Column<PendingDevice>[] => [
  {
    header: 'Name',
    cell: ({ PendingId, DeviceName }) => (
      <>
        <MiddleEllipsis className={rowName} text={DeviceName} />
        {doubles.has(PendingId) && (
          <div className="small">
            <StateMark state="Interrupted" label={doubles.get(PendingId)} wraps />
          </div>
        )}
      </>
    ),
  },
  {
    header: 'State',
    phone: 'end',
    cell: ({ State, Because, DeviceId }) => {
      if (State === 'Rejected') return <StateMark state="Cancelled" label="Rejected" />;
      if (Because === 'NeedsApproval') return <StateMark state="Waiting" label={BECAUSE[Because]} />;
      const mark = <StateMark state="Interrupted" label={BECAUSE[Because]} />;
      return DeviceId === '' ? mark : <Link to={paths.device(DeviceId)}>{mark}</Link>;
    },
  },
  { header: 'Model and system', phone: 'wide', cell: (row) => <MiddleEllipsis text={factsText(row)} /> },
  { header: 'Fingerprint', phone: 'second', cell: ({ Fingerprint }) => <span className="mono">{Fingerprint}</span> },
  { header: 'Address', phone: 'hide', room: 'wide', cell: ({ Address }) => <span className="mono">{Address}</span> },
  { header: 'Group', phone: 'hide', cell: ({ DeviceGroup }) => <bdi>{DeviceGroup}</bdi> },
  { header: 'Site', phone: 'second', cell: ({ CustomerSite }) => <bdi>{CustomerSite}</bdi> },
  { header: 'Key', phone: 'hide', room: 'wide', cell: ({ EnrolmentName }) => <bdi>{EnrolmentName}</bdi> },
  {
    header: 'Asked',
    phone: 'hide',
    room: 'wide',
    cell: ({ FirstSeenTime, LastSeenTime }) => (
      <>
        <Timestamp text={LastSeenTime} />
        {FirstSeenTime !== LastSeenTime && (
          <div className="small dim">
            first <Timestamp text={FirstSeenTime} />
          </div>
        )}
      </>
    ),
  },
  {
    header: 'Actions',
    tools: true,
    cell: ({ PendingId, DeviceName, State }) => (
      <Group gap={6} wrap="nowrap">
        <Gate why={noApproval}>
          <Button size="xs" aria-label={`Approve ${DeviceName}`} onClick={() => dialog.open('approve', PendingId)}>
            Approve
          </Button>
        </Gate>
        {State === 'Waiting' && (
          <Gate why={noApproval}>
            <Button
              size="xs"
              variant="default"
              aria-label={`Reject ${DeviceName}`}
              onClick={() => dialog.open('reject', PendingId)}
            >
              Reject
            </Button>
          </Gate>
        )}
      </Group>
    ),
  },
];

export const keyColumns = (dialog: Dialog<EnrolmentDialog>): Column<EnrolmentKey>[] => [
  { header: 'Name', cell: ({ Name }) => <MiddleEllipsis className={rowName} text={Name} /> },
  {
    header: 'State',
    phone: 'end',
    width: '150px',
    cell: (key) => {
      const ended = endedBecause(key, Date.now());
      return ended === undefined ? (
        <StateMark state="Succeeded" label={key.NeedsApproval ? 'With approval' : 'Active'} />
      ) : (
        <StateMark state="Cancelled" label={ended} />
      );
    },
  },
  {
    header: 'Starts with',
    phone: 'hide',
    room: 'medium',
    cell: ({ Prefix }) => <span className="mono">{Prefix}…</span>,
  },
  {
    header: 'Group',
    phone: 'second',
    cell: ({ DeviceGroup }) =>
      DeviceGroup === '' ? (
        <span className="dim">None</span>
      ) : (
        <Link to={paths.devices({ group: DeviceGroup })}>
          <bdi>{DeviceGroup}</bdi>
        </Link>
      ),
  },
  { header: 'Site', phone: 'hide', room: 'wide', cell: ({ CustomerSite }) => <bdi>{CustomerSite}</bdi> },
  { header: 'Tags', phone: 'hide', room: 'wide', cell: ({ Tags }) => <bdi>{Tags.join(', ')}</bdi> },
  {
    header: 'Tunnels',
    phone: 'hide',
    room: 'medium',
    cell: ({ AllowTunnels }) =>
      AllowTunnels === undefined ? <span className="dim">–</span> : AllowTunnels ? 'Allowed' : 'Not allowed',
  },
  { header: 'Joined', phone: 'end', cell: (key) => <span className="tabular">{usesText(key)}</span> },
  {
    header: 'Expires',
    phone: 'hide',
    cell: ({ ExpiresTime }) =>
      ExpiresTime ? <Timestamp text={ExpiresTime} ahead /> : <span className="dim">Never</span>,
  },
  {
    header: 'Last used',
    phone: 'hide',
    room: 'medium',
    cell: ({ LastUsedTime }) => (LastUsedTime ? <Timestamp text={LastUsedTime} /> : <span className="dim">Never</span>),
  },
  {
    header: 'Actions',
    tools: true,
    cell: ({ EnrolmentId, Name }) => (
      <Button
        size="xs"
        variant="default"
        aria-label={`Delete ${Name}`}
        onClick={() => dialog.open('delete', EnrolmentId)}
      >
        Delete
      </Button>
    ),
  },
];
