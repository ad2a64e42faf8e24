// The open tunnels, newest first, with what the service reports about each.
import type { Tunnel } from '#/contract/tunnels.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { publicAddress } from '#/features/tunnels/tunnel-address.ts';
import { TunnelLink } from '#/features/tunnels/tunnel-link.tsx';
import { paths } from '#/paths.ts';
import { ShortId } from '#/ui/controls/copy-button.tsx';
import { DataTable, type Column } from '#/ui/table/table.tsx';
import { formatBytes, formatCount } from '#/lib/format.ts';
import { useMoreRows } from '#/ui/table/more-rows.tsx';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import type { Dialog } from '#/ui/dialog/use-dialog.ts';
import { Link } from '#/ui/url/link.tsx';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import type { Exposure } from './exposure.ts';
import { TunnelMarks } from './tunnel-marks.tsx';
import { TunnelTools, type TunnelDialog } from './tunnel-tools.tsx';
import classes from './tunnels-page.module.css';

export interface MarkedTunnel {
  tunnel: Tunnel;
  marks: readonly Exposure[];
}

/** The name is shown below an address that does not contain it. */
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

function Opened({ tunnel: { Created, Uptime } }: { tunnel: Tunnel }) {
  return (
    <span className={classes.two}>
      <Timestamp text={Created} />
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

const timeOf = ({ tunnel: { Created } }: MarkedTunnel) => parseTimestamp(Created)?.getTime() ?? -1;

const keyOf = ({ tunnel: { Name } }: MarkedTunnel) => Name;

interface TunnelTableProps {
  /** Those of no filter too. */
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
