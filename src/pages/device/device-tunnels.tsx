// The device's open tunnels; left out if the service does not report which device a tunnel belongs to.
import { useQuery } from '@tanstack/react-query';
import { tunnelQueries } from '#/api/tunnels.ts';
import { Button, Group } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { Device } from '#/contract/devices.ts';
import { tunnelEndpoints, type Tunnel } from '#/contract/tunnels.ts';
import { useOffered } from '#/api/capabilities.ts';
import { useMay } from '#/api/people.ts';
import { whyNoTunnels } from '#/fleet/agent-limits.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { openedText } from '#/features/tunnels/tunnel-address.ts';
import { TunnelLink } from '#/features/tunnels/tunnel-link.tsx';
import { paths } from '#/paths.ts';
import { DataTable, type Column } from '#/ui/table/table.tsx';
import { Section } from '#/ui/page/page.tsx';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { useDialog } from '#/ui/dialog/use-dialog.ts';
import { lazyDialog } from '#/ui/late/lazy-dialog.tsx';
import { View } from '#/ui/page/view.tsx';
import { Link } from '#/ui/url/link.tsx';

const OpenTunnelDialog = lazyDialog(() => import('#/features/tunnels/open-tunnel-dialog.tsx'), 'OpenTunnelDialog');

export function DeviceTunnels({ device }: { device: Device }) {
  const id = device.DeviceId;
  const none = whyNoTunnels(device);
  const query = useQuery(tunnelQueries.list());
  const dialog = useDialog<'open-tunnel'>('tunnel');
  const hasSome = query.data?.some(({ DeviceId }) => DeviceId === id);
  const isReported =
    query.data === undefined || query.data.length === 0 || query.data.some(({ DeviceId }) => DeviceId !== undefined);
  const isOffered = useOffered('open-tunnels');
  const mayNot = useMay(tunnelEndpoints.open, 'Opening tunnels');
  if (!isReported) return null;
  const open = (
    <Gate why={isOffered ? (mayNot ?? none) : undefined}>
      <Button
        component={Link}
        {...dialog.link('open-tunnel')}
        size="xs"
        leftSection={<IconPlus size={16} stroke={1.6} aria-hidden />}
      >
        Open a tunnel
      </Button>
    </Gate>
  );
  return (
    <Section
      title="Tunnels"
      actions={
        hasSome && (
          <>
            {open}
            <Link to={paths.tunnels({ device: id })}>Manage tunnels</Link>
          </>
        )
      }
    >
      <View
        query={query}
        name="its tunnels"
        rows={2}
        isEmpty={() => !hasSome}
        empty={
          <>
            <p className="small dim">{none ?? 'No open tunnels.'}</p>
            <Group>{open}</Group>
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
      <OpenTunnelDialog
        open={dialog.name === 'open-tunnel' && { device: { id, isFixed: true }, onClose: dialog.close }}
      />
    </Section>
  );
}

const COLUMNS: Column<Tunnel>[] = [
  { header: 'Public address', cell: (tunnel) => <TunnelLink tunnel={tunnel} />, phone: 'wide' },
  { header: 'Protocol', cell: ({ Protocol }) => Protocol },
  { header: 'Forwards to', cell: ({ LocalDest }) => <span className="mono">{LocalDest}</span>, phone: 'wide' },
  { header: 'Opened', cell: (tunnel) => <Timestamp text={openedText(tunnel)} />, phone: 'second' },
];
