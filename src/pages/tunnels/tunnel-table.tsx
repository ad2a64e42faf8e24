// The open tunnels, newest first, with what the service reports about each and what can be done with it.
import { ActionIcon } from '@mantine/core';
import {
  IconClock,
  IconExternalLink,
  IconHourglass,
  IconLock,
  IconPlug,
  IconQrcode,
  IconTrash,
  IconWorld,
} from '@tabler/icons-react';
import { tunnelEndpoints, type Tunnel } from '#/contract/tunnels.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { unusableId } from '#/api/call.ts';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { onlyHere, openedText, openerText, portExposure, publicAddress } from '#/features/tunnels/tunnel-address.ts';
import { TunnelLink } from '#/features/tunnels/tunnel-link.tsx';
import { formatBytes, formatCount, formatDuration } from '#/lib/format.ts';
import { webAddress } from '#/lib/web-address.ts';
import { paths } from '#/paths.ts';
import { ShortId } from '#/ui/controls/copy-button.tsx';
import { IconButton } from '#/ui/controls/icon-button.tsx';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import type { Dialog } from '#/ui/dialog/use-dialog.ts';
import { useMoreRows } from '#/ui/table/more-rows.tsx';
import { DataTable, type Column } from '#/ui/table/table.tsx';
import { Link } from '#/ui/url/link.tsx';
import { exposureText, type Exposure } from './exposure.ts';
import classes from './tunnels-page.module.css';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';

export type TunnelDialog = 'open' | 'delete' | 'delete-all' | 'phone';

export interface MarkedTunnel {
  tunnel: Tunnel;
  marks: readonly Exposure[];
}

/** The name of a tunnel appears below its address, unless the address contains it. */
function Where({ tunnel }: { tunnel: Tunnel }) {
  const { Name, Protocol, LocalDest } = tunnel;
  const isNamed = publicAddress(tunnel).text.includes(Name);
  return (
    <span className={classes.address}>
      <TunnelLink tunnel={tunnel} />
      <span className={classes.below} title={LocalDest}>
        <bdi>{Protocol}</bdi> to <span className="mono">{LocalDest || 'an unknown address'}</span>
      </span>
      {!isNamed && (
        <span className={classes.below}>
          Name <ShortId value={Name} what="tunnel name" />
        </span>
      )}
    </span>
  );
}

function Device({ tunnel: { DeviceId, DeviceName } }: { tunnel: Tunnel }) {
  const name = DeviceName || DeviceId;
  if (!name) return <span className="dim">Not reported</span>;
  return DeviceId ? (
    <Link to={paths.device(DeviceId)} className={classes.name}>
      <MiddleEllipsis text={name} />
    </Link>
  ) : (
    <MiddleEllipsis className={classes.name} text={name} />
  );
}

function Opened({ tunnel }: { tunnel: Tunnel }) {
  const { Uptime } = tunnel;
  const opener = openerText(tunnel);
  return (
    <span className={classes.two}>
      <Timestamp text={openedText(tunnel)} />
      {opener && (
        <span className={classes.below} title={opener}>
          {opener}
        </span>
      )}
      {Uptime && Uptime.toUpperCase() !== 'N/A' && <span className={classes.below}>up {Uptime}</span>}
    </span>
  );
}

function Traffic({ tunnel: { Connections, BytesIn, BytesOut } }: { tunnel: Tunnel }) {
  const isCounted = BytesIn !== undefined || BytesOut !== undefined;
  if (Connections === undefined && !isCounted) return <span className="dim">–</span>;
  return (
    <span className={classes.two}>
      {Connections !== undefined && <span>{formatCount(Connections)} open</span>}
      {isCounted && (
        <span
          className={classes.below}
          title={`${formatBytes(BytesIn ?? 0)} to the device, ${formatBytes(BytesOut ?? 0)} from it`}
        >
          {formatBytes((BytesIn ?? 0) + (BytesOut ?? 0))}
        </span>
      )}
    </span>
  );
}

const icon = { size: 15, stroke: 1.7, 'aria-hidden': true };

function Mark({ exposure, days }: { exposure: Exposure; days: number }) {
  const text = exposureText(exposure, days);
  if (exposure === 'offline') return <StateMark state="Offline" label={text} />;
  const Icon = exposure === 'public' ? IconWorld : IconClock;
  return (
    <span className={classes.warn}>
      <Icon {...icon} /> {text}
    </span>
  );
}

function TunnelMarks({ tunnel, marks, days }: { tunnel: Tunnel; marks: readonly Exposure[]; days: number }) {
  const isProtected = tunnel.Auth?.toLowerCase() === 'basic';
  const { ExpiresAt, IdleTimeout } = tunnel;
  const port = portExposure(tunnel);
  if (marks.length === 0 && !port && !isProtected && !ExpiresAt && !IdleTimeout) return <span className="dim">–</span>;
  return (
    <span className={classes.marks}>
      {marks.map((mark) => (
        <Mark key={mark} exposure={mark} days={days} />
      ))}
      {port && (
        <span className={classes.fact} title={port.title}>
          <IconPlug {...icon} /> {port.text}
        </span>
      )}
      {isProtected && (
        <span className={classes.fact}>
          <IconLock {...icon} /> Password required
        </span>
      )}
      {ExpiresAt && (
        <span className={classes.fact}>
          <IconHourglass {...icon} /> Ends <Timestamp text={ExpiresAt} ahead />
        </span>
      )}
      {IdleTimeout !== undefined && IdleTimeout > 0 && (
        <span className={classes.fact}>
          <IconHourglass {...icon} /> Ends after {formatDuration(IdleTimeout * 1000).replace(/ 0 s$/, '')} unused
        </span>
      )}
    </span>
  );
}

function TunnelTools({ tunnel, dialog }: { tunnel: Tunnel; dialog: Dialog<TunnelDialog> }) {
  const { Name } = tunnel;
  const unusable = unusableId(Name);
  const noDelete = useMay(tunnelEndpoints.remove, 'Deleting tunnels');
  const href = webAddress(publicAddress(tunnel).text);
  const reason = href && onlyHere(href);
  return (
    <span className={classes.tools}>
      {href && (
        <>
          <ActionIcon
            component="a"
            href={href}
            target="_blank"
            rel="noopener noreferrer"
            aria-label={`Open ${Name} in a new tab`}
            title="Open in a new tab"
          >
            <IconExternalLink size={18} stroke={1.6} aria-hidden />
          </ActionIcon>
          <Gate why={reason || undefined}>
            <IconButton
              icon={IconQrcode}
              iconSize={18}
              label={`QR code of ${Name} for a phone`}
              title="QR code for a phone"
              onClick={() => dialog.open('phone', Name)}
            />
          </Gate>
        </>
      )}
      <Gate why={noDelete ?? unusable}>
        <IconButton
          icon={IconTrash}
          iconSize={18}
          label={`Delete ${Name}`}
          title="Delete"
          onClick={() => dialog.open('delete', Name)}
        />
      </Gate>
    </span>
  );
}

const timeOf = ({ tunnel }: MarkedTunnel) => parseTimestamp(openedText(tunnel))?.getTime() ?? -1;

const keyOf = ({ tunnel: { Name } }: MarkedTunnel) => Name;

interface TunnelTableProps {
  /** Including those that the filters hide. */
  all: readonly MarkedTunnel[];
  tunnels: readonly MarkedTunnel[];
  days: number;
  dialog: Dialog<TunnelDialog>;
}

export function TunnelTable({ all, tunnels, days, dialog }: TunnelTableProps) {
  const [rows, more] = useMoreRows(tunnels.toSorted((a, b) => timeOf(b) - timeOf(a)));
  const hasTraffic = tunnels.some(
    ({ tunnel: { Connections, BytesIn, BytesOut } }) => (Connections ?? BytesIn ?? BytesOut) !== undefined,
  );
  const columns: (Column<MarkedTunnel> | false)[] = [
    { header: 'Public address', cell: ({ tunnel }) => <Where tunnel={tunnel} />, phone: 'wide' },
    { header: 'Device', cell: ({ tunnel }) => <Device tunnel={tunnel} />, phone: 'second' },
    { header: 'Opened', cell: ({ tunnel }) => <Opened tunnel={tunnel} />, phone: 'end' },
    hasTraffic && {
      header: 'Traffic',
      cell: ({ tunnel }) => <Traffic tunnel={tunnel} />,
      phone: 'hide',
      room: 'medium',
    },
    {
      header: 'Exposure',
      cell: ({ tunnel, marks }) => <TunnelMarks tunnel={tunnel} marks={marks} days={days} />,
      phone: 'second',
    },
    { header: 'Actions', tools: true, cell: ({ tunnel }) => <TunnelTools tunnel={tunnel} dialog={dialog} /> },
  ];
  return (
    <>
      <DataTable
        name="Tunnels"
        columns={columns.filter((column) => column !== false)}
        rows={rows}
        rowKey={keyOf}
        find={(name) => all.find((each) => keyOf(each) === name)}
      />
      {more}
    </>
  );
}
