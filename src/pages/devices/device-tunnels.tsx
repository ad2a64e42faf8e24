// The device's open tunnels; left out where a service does not tell whose a tunnel is.
import { Link } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import { tunnelQueries } from '#/api/tunnels.ts';
import type { Tunnel } from '#/contract/tunnels.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { paths } from '#/paths.ts';
import { CopyButton } from '#/ui/copy-button.tsx';
import { DataTable } from '#/ui/data-table.tsx';
import type { Column } from '#/ui/data-table.tsx';
import { Section } from '#/ui/page.tsx';
import { Time } from '#/ui/time.tsx';
import { View } from '#/ui/view.tsx';
import { webAddress } from '#/ui/web-address.ts';
import classes from './device-page.module.css';

export function DeviceTunnels({ id }: { id: string }) {
  const query = useQuery(tunnelQueries.list());
  const told =
    query.data === undefined || query.data.length === 0 || query.data.some(({ DeviceId }) => DeviceId !== undefined);
  if (!told) return null;
  return (
    <Section title="Tunnels" actions={<Link to={paths.tunnels()}>All tunnels</Link>}>
      <View
        query={query}
        name="its tunnels"
        rows={2}
        isEmpty={(tunnels) => !tunnels.some(({ DeviceId }) => DeviceId === id)}
        empty={<p className={classes['quiet']}>No open tunnels. The agent on the device opens them.</p>}
      >
        {(tunnels) => (
          <DataTable
            name="Tunnels of this device"
            columns={COLUMNS}
            rows={tunnels.filter(({ DeviceId }) => DeviceId === id)}
            rowKey={({ Name }) => Name}
          />
        )}
      </View>
    </Section>
  );
}

const COLUMNS: Column<Tunnel>[] = [
  { header: 'Public address', cell: (tunnel) => <PublicAddress tunnel={tunnel} /> },
  { header: 'Protocol', cell: ({ Protocol }) => Protocol },
  { header: 'Leads to', cell: ({ LocalDest }) => <span className="mono">{LocalDest}</span>, phone: 'wide' },
  { header: 'Opened', cell: ({ Created }) => <Time at={parseTimestamp(Created)} raw={Created} />, phone: 'second' },
];

/** A link only for http and https; whatever else a service sends is text. */
function PublicAddress({ tunnel: { PublicUrl, PublicAddr } }: { tunnel: Tunnel }) {
  const address = webAddress(PublicUrl);
  const text = PublicAddr && (!PublicUrl || PublicUrl === 'N/A') ? PublicAddr : PublicUrl;
  return (
    <>
      {address ? (
        <a href={address} target="_blank" rel="noopener noreferrer">
          {PublicUrl}
        </a>
      ) : (
        <span className="mono">{text || '–'}</span>
      )}
      {text && text !== 'N/A' && <CopyButton value={text} what="address" />}
    </>
  );
}
