// The public address of a tunnel, and buttons to copy it. Only http and https addresses are links: anything else that a
// service sends is text.
import { IconTerminal2 } from '@tabler/icons-react';
import type { Tunnel } from '#/contract/tunnels.ts';
import { CopyButton } from '#/ui/controls/copy-button.tsx';
import { webAddress } from '#/lib/web-address.ts';
import { publicAddress, sshCommand } from './tunnel-address.ts';
import classes from './tunnel-link.module.css';

export function TunnelLink({ tunnel }: { tunnel: Tunnel }) {
  const { text, copy } = publicAddress(tunnel);
  if (!copy) return <span className="dim">{text}</span>;
  const href = webAddress(text);
  const command = sshCommand(tunnel);
  const look = `${classes.text} mono`;
  return (
    <span className={classes.link}>
      {href ? (
        <a href={href} target="_blank" rel="noopener noreferrer" className={look} title={text}>
          {text}
        </a>
      ) : (
        <span className={look} title={text}>
          {text}
        </span>
      )}
      <CopyButton value={copy} what="public address" />
      {command && <CopyButton value={command} what="ssh command" Icon={IconTerminal2} />}
    </span>
  );
}
