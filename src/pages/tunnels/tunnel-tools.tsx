// What is done with one tunnel: open it here or on a phone, and close it for good.
import { ActionIcon } from '@mantine/core';
import { IconExternalLink, IconQrcode, IconTrash } from '@tabler/icons-react';
import type { Tunnel } from '#/contract/tunnels.ts';
import { unusableId } from '#/api/call.ts';
import { onlyHere, publicAddress } from '#/features/tunnels/tunnel-address.ts';
import { IconButton } from '#/ui/controls/icon-button.tsx';
import type { Dialog } from '#/ui/dialog/use-dialog.ts';
import { webAddress } from '#/lib/web-address.ts';
import classes from './tunnels-page.module.css';

export type TunnelDialog = 'open' | 'delete' | 'delete-all' | 'phone';

export function TunnelTools({ tunnel, dialog }: { tunnel: Tunnel; dialog: Dialog<TunnelDialog> }) {
  const { Name } = tunnel;
  const unusable = unusableId(Name);
  const href = webAddress(publicAddress(tunnel).text);
  const reason = href && onlyHere(href);
  return (
    <span className={classes.tools}>
      {href && (
        <>
          <ActionIcon
            component="a"
            href={href}
            target="_blank"
            rel="noopener noreferrer"
            aria-label={`Open ${Name} in a new tab`}
            title="Open in a new tab"
          >
            <IconExternalLink size={18} stroke={1.6} aria-hidden />
          </ActionIcon>
          <IconButton
            icon={IconQrcode}
            iconSize={18}
            label={`QR code of ${Name} for a phone`}
            aria-description={reason}
            title={reason ?? 'QR code for a phone'}
            off={reason !== undefined}
            onClick={() => dialog.open('phone', Name)}
          />
        </>
      )}
      <IconButton
        icon={IconTrash}
        iconSize={18}
        label={`Delete ${Name}`}
        title={unusable ?? 'Delete'}
        aria-description={unusable}
        off={unusable !== undefined}
        onClick={() => dialog.open('delete', Name)}
      />
    </span>
  );
}
