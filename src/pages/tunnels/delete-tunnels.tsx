// Confirmations before one tunnel, or all of them, are deleted.
import type { Tunnel } from '#/contract/tunnels.ts';
import { tunnelMutations } from '#/api/tunnels.ts';
import { publicAddress } from '#/features/tunnels/tunnel-address.ts';
import { ConfirmDialog } from '#/ui/dialog/confirm-dialog.tsx';
import { formatCount } from '#/lib/format.ts';

export function DeleteTunnel({ tunnel, onClose }: { tunnel: Tunnel; onClose: () => void }) {
  const { copy: address } = publicAddress(tunnel);
  return (
    <ConfirmDialog
      onClose={onClose}
      title="Delete tunnel"
      confirmLabel="Delete tunnel"
      write={tunnelMutations.remove(tunnel.Name)}
    >
      <p className="breakable">
        <strong className="mono">{address || tunnel.Name}</strong> stops working at once and its connections end
        {tunnel.DeviceName ? ` (to ${tunnel.LocalDest} on ${tunnel.DeviceName})` : ''}. If it is opened again, it gets a
        new name.
      </p>
    </ConfirmDialog>
  );
}

export function DeleteAllTunnels({ count, onClose }: { count: number; onClose: () => void }) {
  const all = count === 1 ? 'The one tunnel' : `All ${formatCount(count)} tunnels`;
  return (
    <ConfirmDialog
      onClose={onClose}
      title="Delete all tunnels"
      confirmLabel="Delete all tunnels"
      write={tunnelMutations.removeAll()}
      typed={String(count)}
    >
      {all} of this account {count === 1 ? 'stops' : 'stop'} working at once and every connection through them ends,
      including those of other people.
    </ConfirmDialog>
  );
}
