// The device's open tunnels; left out if the service does not report which device a tunnel belongs to.
import { useQuery } from '@tanstack/react-query';
import { tunnelQueries } from '#/api/tunnels.ts';
import { Button, Group } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { Tunnel } from '#/contract/tunnels.ts';
import { TunnelLink } from '#/features/tunnels/tunnel-link.tsx';
import { paths } from '#/paths.ts';
import { DataTable, type Column } from '#/ui/table/table.tsx';
import { Section } from '#/ui/page/page.tsx';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { useDialog } from '#/ui/dialog/use-dialog.ts';
import { lazyDialog } from '#/ui/late/lazy-dialog.tsx';
import { View } from '#/ui/page/view.tsx';
import { Link } from '#/ui/url/link.tsx';

const OpenTunnelDialog = lazyDialog(() => import('#/features/tunnels/open-tunnel.tsx'), 'OpenTunnelDialog');

export function DeviceTunnels({ id }: { id: string }) {
  const query = useQuery(tunnelQueries.list());
  const dialog = useDialog<'open-tunnel'>('tunnel');
  const hasSome = query.data?.some(({ DeviceId }) => DeviceId === id);
  const isReported =
    query.data === undefined || query.data.length === 0 || query.data.some(({ DeviceId }) => DeviceId !== undefined);
  if (!isReported) return null;
  return (
    <Section title="Tunnels" actions={hasSome && <Link to={paths.tunnels({ device: id })}>Manage tunnels</Link>}>
      <View
        query={query}
        name="its tunnels"
        rows={2}
        isEmpty={() => !hasSome}
        empty={
          <>
            <p className="small dim">No open tunnels.</p>
            <Group>
              <Button
                component={Link}
                {...dialog.link('open-tunnel')}
                size="xs"
                leftSection={<IconPlus size={16} stroke={1.6} aria-hidden />}
              >
                Open a tunnel
              </Button>
            </Group>
          </>
        }
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
      <OpenTunnelDialog open={dialog.name === 'open-tunnel' && { onClose: dialog.close }} />
    </Section>
  );
}

const COLUMNS: Column<Tunnel>[] = [
  { header: 'Public address', cell: (tunnel) => <TunnelLink tunnel={tunnel} />, phone: 'wide' },
  { header: 'Protocol', cell: ({ Protocol }) => Protocol },
  { header: 'Forwards to', cell: ({ LocalDest }) => <span className="mono">{LocalDest}</span>, phone: 'wide' },
  { header: 'Opened', cell: ({ Created }) => <Timestamp text={Created} />, phone: 'second' },
];
