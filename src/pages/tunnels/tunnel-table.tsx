// The open tunnels, newest first.
import { Link } from 'react-router';
import { ActionIcon } from '@mantine/core';
import { IconExternalLink, IconTrash } from '@tabler/icons-react';
import type { Tunnel } from '#/contract/tunnels.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { paths } from '#/paths.ts';
import { CopyButton, ShortId } from '#/ui/copy-button.tsx';
import { DataTable } from '#/ui/data-table.tsx';
import type { Column } from '#/ui/data-table.tsx';
import { useMoreRows } from '#/ui/more-rows.tsx';
import { Time } from '#/ui/time.tsx';
import type { Dialog } from '#/ui/use-dialog.ts';
import { webAddress } from '#/ui/web-address.ts';
import { publicAddress } from './public-address.ts';
import classes from './tunnels-page.module.css';

export type TunnelDialog = 'delete' | 'delete-all';

function PublicAddress({ tunnel }: { tunnel: Tunnel }) {
  const { text, copy } = publicAddress(tunnel);
  const href = webAddress(text);
  if (!copy) return <span className="dim">{text}</span>;
  return (
    <span className={classes['copied']}>
      {href ? (
        <a
          href={href}
          target="_blank"
          rel="noopener noreferrer"
          className={`${classes['text'] ?? ''} mono`}
          title={text}
        >
          {text}
        </a>
      ) : (
        <span className={`${classes['text'] ?? ''} mono`} title={text}>
          {text}
        </span>
      )}
      <CopyButton value={copy} what="public address" />
    </span>
  );
}

function Tools({ tunnel, onDelete }: { tunnel: Tunnel; onDelete: () => void }) {
  const href = webAddress(tunnel.PublicUrl);
  return (
    <span className={classes['tools']}>
      {href && (
        <ActionIcon
          component="a"
          href={href}
          target="_blank"
          rel="noopener noreferrer"
          variant="subtle"
          color="gray"
          aria-label={`Open ${tunnel.Name} in a new tab`}
          title="Open in a new tab"
        >
          <IconExternalLink size={18} stroke={1.6} aria-hidden />
        </ActionIcon>
      )}
      <ActionIcon variant="subtle" color="gray" aria-label={`Delete ${tunnel.Name}`} title="Delete" onClick={onDelete}>
        <IconTrash size={18} stroke={1.6} aria-hidden />
      </ActionIcon>
    </span>
  );
}

const columnsOf = (dialog: Dialog<TunnelDialog>): Column<Tunnel>[] => [
  {
    header: 'Name',
    cell: ({ Name }) => <ShortId value={Name} what="tunnel name" />,
    phone: 'wide',
  },
  { header: 'Public address', cell: (tunnel) => <PublicAddress tunnel={tunnel} />, phone: 'wide' },
  { header: 'Protocol', cell: ({ Protocol }) => Protocol, phone: 'hide' },
  { header: 'Local destination', cell: ({ LocalDest }) => <span className="mono">{LocalDest}</span>, phone: 'second' },
  {
    header: 'Device',
    cell: ({ DeviceId, DeviceName }) =>
      DeviceId ? (
        <Link to={paths.device(DeviceId)}>{DeviceName || DeviceId}</Link>
      ) : (
        (DeviceName ?? <span className="dim">–</span>)
      ),
    phone: 'end',
  },
  { header: 'Opened', cell: ({ Created }) => <Time at={parseTimestamp(Created)} raw={Created} />, phone: 'second' },
  { header: 'Uptime', cell: ({ Uptime }) => Uptime || '–', phone: 'hide' },
  {
    header: 'Actions',
    tools: true,
    cell: (tunnel) => <Tools tunnel={tunnel} onDelete={() => dialog.open('delete', tunnel.Name)} />,
  },
];

const timeOf = ({ Created }: Tunnel) => parseTimestamp(Created)?.getTime() ?? -1;

export function TunnelTable({ tunnels, dialog }: { tunnels: Tunnel[]; dialog: Dialog<TunnelDialog> }) {
  const [rows, more] = useMoreRows(tunnels.toSorted((a, b) => timeOf(b) - timeOf(a)));
  return (
    <>
      <DataTable name="Tunnels" columns={columnsOf(dialog)} rows={rows} rowKey={({ Name }) => Name} />
      {more}
    </>
  );
}
