// The open tunnels, newest first, with what a service tells of each.
import { Link } from 'react-router';
import type { Tunnel } from '#/contract/tunnels.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { publicAddress } from '#/fleet/tunnel-address.ts';
import { TunnelLink } from '#/fleet/tunnel-link.tsx';
import { paths } from '#/paths.ts';
import { ShortId } from '#/ui/copy-button.tsx';
import { DataTable } from '#/ui/data-table.tsx';
import type { Column } from '#/ui/data-table.tsx';
import { formatBytes, formatCount } from '#/ui/format.ts';
import { useMoreRows } from '#/ui/more-rows.tsx';
import { Time } from '#/ui/time.tsx';
import type { Dialog } from '#/ui/use-dialog.ts';
import type { Exposure } from './exposure.ts';
import { TunnelMarks } from './tunnel-marks.tsx';
import { TunnelTools } from './tunnel-tools.tsx';
import type { TunnelDialog } from './tunnel-tools.tsx';
import classes from './tunnels-page.module.css';

export interface MarkedTunnel {
  tunnel: Tunnel;
  marks: readonly Exposure[];
}

/** The name stands beside an address that does not hold it. */
function Where({ tunnel }: { tunnel: Tunnel }) {
  const isNamed = publicAddress(tunnel).text.includes(tunnel.Name);
  return (
    <span className={classes['where']}>
      <TunnelLink tunnel={tunnel} />
      {!isNamed && <ShortId value={tunnel.Name} what="tunnel name" />}
    </span>
  );
}

const traffic = ({ BytesIn, BytesOut }: Tunnel) =>
  BytesIn === undefined && BytesOut === undefined ? (
    <span className="dim">–</span>
  ) : (
    <span title={`${formatBytes(BytesIn ?? 0)} to the device, ${formatBytes(BytesOut ?? 0)} from it`}>
      {formatBytes((BytesIn ?? 0) + (BytesOut ?? 0))}
    </span>
  );

function columnsOf(tunnels: readonly Tunnel[], days: number, dialog: Dialog<TunnelDialog>): Column<MarkedTunnel>[] {
  const tells = (field: keyof Tunnel) => tunnels.some((tunnel) => tunnel[field] !== undefined);
  const columns: (Column<MarkedTunnel> | false)[] = [
    { header: 'Public address', cell: ({ tunnel }) => <Where tunnel={tunnel} />, phone: 'wide' },
    { header: 'Protocol', cell: ({ tunnel: { Protocol } }) => <bdi>{Protocol || '–'}</bdi>, phone: 'hide' },
    {
      header: 'Leads to',
      cell: ({ tunnel: { LocalDest } }) => (
        <span className="mono" title={LocalDest}>
          {LocalDest}
        </span>
      ),
      phone: 'second',
    },
    {
      header: 'Device',
      cell: ({ tunnel: { DeviceId, DeviceName } }) =>
        DeviceId ? (
          <Link to={paths.device(DeviceId)}>
            <bdi>{DeviceName || DeviceId}</bdi>
          </Link>
        ) : DeviceName ? (
          <bdi>{DeviceName}</bdi>
        ) : (
          <span className="dim">Not told</span>
        ),
      phone: 'end',
    },
    {
      header: 'Opened',
      cell: ({ tunnel: { Created, Uptime } }) => (
        <span title={Uptime && Uptime !== 'N/A' ? `Up for ${Uptime}` : undefined}>
          <Time at={parseTimestamp(Created)} raw={Created} />
          {Uptime && Uptime !== 'N/A' && <span className="dim">, up {Uptime}</span>}
        </span>
      ),
      phone: 'second',
    },
    tells('Connections') && {
      header: 'Connections',
      cell: ({ tunnel: { Connections } }) => (Connections === undefined ? '–' : formatCount(Connections)),
      align: 'end',
      phone: 'hide',
    },
    (tells('BytesIn') || tells('BytesOut')) && {
      header: 'Carried',
      cell: ({ tunnel }) => traffic(tunnel),
      align: 'end',
      phone: 'end',
    },
    {
      header: 'Exposure',
      cell: ({ tunnel, marks }) => <TunnelMarks tunnel={tunnel} marks={marks} days={days} />,
      phone: 'second',
    },
    { header: 'Actions', tools: true, cell: ({ tunnel }) => <TunnelTools tunnel={tunnel} dialog={dialog} /> },
  ];
  return columns.filter((column) => column !== false);
}

const timeOf = ({ tunnel: { Created } }: MarkedTunnel) => parseTimestamp(Created)?.getTime() ?? -1;

interface TunnelTableProps {
  tunnels: readonly MarkedTunnel[];
  days: number;
  dialog: Dialog<TunnelDialog>;
}

export function TunnelTable({ tunnels, days, dialog }: TunnelTableProps) {
  const [rows, more] = useMoreRows(tunnels.toSorted((a, b) => timeOf(b) - timeOf(a)));
  const columns = columnsOf(
    tunnels.map(({ tunnel }) => tunnel),
    days,
    dialog,
  );
  return (
    <>
      <DataTable name="Tunnels" columns={columns} rows={rows} rowKey={({ tunnel }) => tunnel.Name} />
      {more}
    </>
  );
}
