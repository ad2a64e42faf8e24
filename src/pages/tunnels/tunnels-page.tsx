// Tunnels: what devices have made reachable from outside; open it, copy it, close it.
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Button } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { tunnelQueries } from '#/api/tunnels.ts';
import { paths } from '#/paths.ts';
import { Page } from '#/ui/page.tsx';
import { useDialog } from '#/ui/use-dialog.ts';
import { useFocusBack } from '#/ui/use-focus-back.ts';
import { Empty, View } from '#/ui/view.tsx';
import { DeleteAllTunnels, DeleteTunnel } from './delete-tunnels.tsx';
import { TunnelTable } from './tunnel-table.tsx';
import type { TunnelDialog } from './tunnel-table.tsx';

export function TunnelsPage() {
  const tunnels = useQuery(tunnelQueries.list());
  const dialog = useDialog<TunnelDialog>('tunnel');
  useFocusBack(dialog.name !== null);
  const count = tunnels.data?.length ?? 0;
  const subject = tunnels.data?.find(({ Name }) => Name === dialog.subject);
  return (
    <Page
      title="Tunnels"
      lead="Services of devices that can be reached from outside. Whoever knows a public address can reach what is behind it."
      actions={
        count > 0 && (
          <Button
            variant="default"
            leftSection={<IconTrash size={18} stroke={1.6} aria-hidden />}
            onClick={() => dialog.open('delete-all')}
          >
            Delete all
          </Button>
        )
      }
    >
      <View
        query={tunnels}
        name="tunnels"
        isEmpty={({ length }) => length === 0}
        empty={
          <Empty
            title="No tunnels are open"
            action={
              <Button component={Link} to={paths.devices()} variant="default">
                Go to devices
              </Button>
            }
          >
            Tunnels are opened by the agent on a device. Those that are open are listed here, to be used and closed.
          </Empty>
        }
      >
        {(all) => <TunnelTable tunnels={all} dialog={dialog} />}
      </View>
      {dialog.name === 'delete' && subject && <DeleteTunnel tunnel={subject} onClose={dialog.close} />}
      {dialog.name === 'delete-all' && count > 0 && <DeleteAllTunnels count={count} onClose={dialog.close} />}
    </Page>
  );
}
