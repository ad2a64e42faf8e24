// The public address of a tunnel as a QR code, to open it on a phone.
import { publicAddress } from '#/features/tunnels/tunnel-address.ts';
import type { Tunnel } from '#/contract/tunnels.ts';
import { CopyButton } from '#/ui/controls/copy-button.tsx';
import { BaseDialog } from '#/ui/dialog/base-dialog.tsx';
import { QrCode } from '#/ui/controls/qr-code.tsx';
import classes from './tunnels-page.module.css';

export function TunnelCode({ tunnel, onClose }: { tunnel: Tunnel; onClose: () => void }) {
  const { copy: address } = publicAddress(tunnel);
  return (
    <BaseDialog onClose={onClose} title="Open on a phone">
      <div className={classes.code}>
        <QrCode text={address} className={classes.qr} />
        <p>
          Scan it with the phone’s camera. It opens <span className="mono">{address}</span>
          {tunnel.Auth?.toLowerCase() === 'basic' && ', which asks for its user name and password'}.
        </p>
        <CopyButton value={address} what="public address" words />
      </div>
    </BaseDialog>
  );
}
