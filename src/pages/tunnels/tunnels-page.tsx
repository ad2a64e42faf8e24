// Tunnels: services on devices that can be reached from outside. They are opened, copied, reviewed and closed here.
import { useQuery } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import { IconDots, IconPlus } from '@tabler/icons-react';
import { tunnelEndpoints, type Tunnel } from '#/contract/tunnels.ts';
import { tunnelQueries } from '#/api/tunnels.ts';
import { onlyHere, publicAddress } from '#/features/tunnels/tunnel-address.ts';
import { counted, formatCount } from '#/lib/format.ts';
import { Page } from '#/ui/page/page.tsx';
import { useNow } from '#/ui/controls/time.tsx';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import { useDialog, type Dialog } from '#/ui/dialog/use-dialog.ts';
import { lazyDialog, lazyMenu, lazyPart } from '#/ui/late/lazy-dialog.tsx';
import { Empty, View } from '#/ui/page/view.tsx';
import { webAddress } from '#/lib/web-address.ts';
import { DeleteAllTunnels, DeleteTunnel } from './delete-tunnels.tsx';
import { NO_TUNNEL_FILTER, exposuresOf, isTunnelShown, oldAfterDays, tunnelsUrl } from './exposure.ts';
import { TunnelFilters } from './tunnel-filters.tsx';
import { TunnelTable, type TunnelDialog } from './tunnel-table.tsx';
import { Link } from '#/ui/url/link.tsx';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';
import { useOffered } from '#/api/capabilities.ts';
import { useStore } from '#/ui/state/use-store.ts';
import classes from './tunnels-page.module.css';

const OpenTunnelDialog = lazyDialog(() => import('#/features/tunnels/open-tunnel-dialog.tsx'), 'OpenTunnelDialog');
const OpenTunnel = lazyPart(() => import('#/features/tunnels/open-tunnel.tsx'), 'OpenTunnel');
const icon = { size: 18, stroke: 1.6, 'aria-hidden': true };

const TunnelsMenu = lazyMenu(() => import('./tunnels-menu.tsx'), 'TunnelsMenu');
const TunnelCode = lazyDialog(() => import('./tunnel-code.tsx'), 'TunnelCode');

export function TunnelsPage() {
  const tunnels = useQuery(tunnelQueries.list());
  const dialog = useDialog<TunnelDialog>('tunnel');
  const count = tunnels.data?.length ?? 0;
  const isOffered = useOffered('open-tunnels');
  const [{ device }] = useUrlState(tunnelsUrl);
  const mayNot = useMay(tunnelEndpoints.open, 'Opening tunnels');
  const noOpening = isOffered ? mayNot : undefined;
  const subject = tunnels.data?.find(({ Name }) => Name === dialog.subject);
  const address = subject && webAddress(publicAddress(subject).text);
  return (
    <Page
      title="Tunnels"
      lead="Device services that can be reached from outside. Anyone who knows a public address can reach the service behind it."
      actions={
        <>
          {count > 0 && (
            <TunnelsMenu
              onDeleteAll={() => dialog.open('delete-all')}
              button={{
                className: classes.menu,
                'aria-haspopup': 'menu',
                'aria-label': 'More for tunnels',
                title: 'More',
                children: <IconDots {...icon} />,
              }}
            />
          )}
          {(count > 0 || isOffered) && (
            <Gate why={noOpening}>
              <Button
                component={Link}
                {...dialog.link('open')}
                variant={isOffered ? 'filled' : 'default'}
                leftSection={<IconPlus {...icon} />}
              >
                Open a tunnel
              </Button>
            </Gate>
          )}
        </>
      }
    >
      <View
        query={tunnels}
        name="tunnels"
        isEmpty={({ length }) => length === 0}
        empty={
          isOffered ? (
            <Empty title="No tunnels are open" scoped>
              A tunnel makes a service of a device, such as its SSH or web server, reachable from outside for a while. A
              device allows only what it was started with.
            </Empty>
          ) : (
            <Empty title="No tunnels are open" scoped action={<OpenTunnel open={{}} />}>
              A device’s agent opens them, only to the targets set on the device. Use and close them here.
            </Empty>
          )
        }
      >
        {(all) => <Filtered all={all} dialog={dialog} />}
      </View>
      {dialog.name === 'delete' && subject && <DeleteTunnel tunnel={subject} onClose={dialog.close} />}
      {dialog.name === 'delete-all' && count > 0 && <DeleteAllTunnels count={count} onClose={dialog.close} />}
      <OpenTunnelDialog
        open={
          dialog.name === 'open' && {
            onClose: dialog.close,
            device: device ? { id: device, isFixed: false } : undefined,
          }
        }
      />
      <TunnelCode
        open={
          dialog.name === 'phone' &&
          subject &&
          address &&
          !onlyHere(address) && { tunnel: subject, onClose: dialog.close }
        }
      />
    </Page>
  );
}

function Filtered({ all, dialog }: { all: Tunnel[]; dialog: Dialog<TunnelDialog> }) {
  const [view, url] = useUrlState(tunnelsUrl);
  const now = useNow();
  const days = useStore(oldAfterDays);
  const marked = all.map((tunnel) => ({ tunnel, marks: exposuresOf(tunnel, now, days) }));
  const shown = marked.filter(({ tunnel, marks }) => isTunnelShown(tunnel, marks, view));
  const words = counted(all.length, 'tunnel');
  const count = shown.length === all.length ? words : `${formatCount(shown.length)} of ${words}`;
  return (
    <div className="stack">
      <TunnelFilters tunnels={all} count={count} />
      {shown.length > 0 ? (
        <TunnelTable all={marked} tunnels={shown} days={days} dialog={dialog} />
      ) : (
        <Empty
          title="No matching tunnels"
          next={{ label: 'Clear filters', variant: 'default', onClick: () => url.set(NO_TUNNEL_FILTER) }}
        />
      )}
    </div>
  );
}
