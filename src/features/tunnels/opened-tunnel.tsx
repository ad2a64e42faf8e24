// A tunnel that was just opened: its address, its login, which is shown only here, and how to use it.
import { useEffect, useState } from 'react';
import { Button, Group } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import type { NewTunnel, TunnelDraft } from '#/contract/tunnels.ts';
import { webAddress } from '#/lib/web-address.ts';
import { BaseDialog } from '#/ui/dialog/base-dialog.tsx';
import { useLeaveBlock } from '#/ui/dialog/leave-block.tsx';
import { useUnsaved } from '#/ui/dialog/unsaved.ts';
import { CommandLine } from '#/ui/controls/command-line.tsx';
import { CopyButton } from '#/ui/controls/copy-button.tsx';
import { publicAddress } from './tunnel-address.ts';
import { commandsFor } from './tunnel-choices.ts';
import classes from './open-tunnel.module.css';

interface OpenedTunnelProps {
  tunnel: NewTunnel;
  draft: TunnelDraft;
  /** When it was opened, by this browser's clock. */
  at: number;
  onDone: () => void;
}

export function OpenedTunnel({ tunnel, draft, at, onDone }: OpenedTunnelProps) {
  const { Login: login, ExpiresMinutes = 0 } = draft;
  const [taken, setTaken] = useState(login === undefined);
  const [closed, setClosed] = useState(false);
  // The login is stored nowhere else.
  const asked = useLeaveBlock(() => !taken);
  useUnsaved(!taken);
  const { copy: address } = publicAddress(tunnel);
  const href = webAddress(address);
  const take = () => setTaken(true);
  // The next page may still be loading.
  if (closed) return null;
  const done = () => {
    setClosed(true);
    onDone();
  };
  return (
    <BaseDialog title="The tunnel is open" size="lg" onClose={taken ? done : undefined}>
      <div className={classes.lines}>
        <div className={classes.address}>
          {href ? (
            <a href={href} target="_blank" rel="noopener noreferrer" className="mono breakable">
              {address}
            </a>
          ) : (
            <span className="mono breakable">{address}</span>
          )}
          <CopyButton value={address} what="address" />
        </div>
        <p className="dim small">
          To <span className="mono">{draft.LocalDest}</span>. <Countdown until={at + ExpiresMinutes * 60_000} />
        </p>
        {asked && !taken && (
          <div role="alert" className={classes.hint}>
            <p>Leaving now loses the login: it cannot be shown again.</p>
            <Group gap="xs">
              <Button size="xs" onClick={asked.stay}>
                Stay
              </Button>
              <Button variant="filled" size="xs" color="red" onClick={asked.leave}>
                Leave without the login
              </Button>
            </Group>
          </div>
        )}
        {login !== undefined && (
          <dl className={classes.login}>
            {(['User name', 'Password'] as const).map((label, index) => {
              const value = login.split(':')[index] ?? '';
              return (
                <div key={label}>
                  <dt className="dim small">{label}</dt>
                  <dd className="mono">
                    {value}
                    <CopyButton value={value} what={label.toLowerCase()} {...(index === 1 && { onCopied: take })} />
                  </dd>
                </div>
              );
            })}
          </dl>
        )}
        {commandsFor(tunnel, draft).map(({ label, command }) => (
          <CommandLine key={label} label={label} command={command} onCopied={take} />
        ))}
        <Group justify="flex-end" gap="sm" className="dialog-foot">
          {!taken && (
            <span id="login-taken" className="small dim">
              Copy the password first: it is shown only here.
            </span>
          )}
          {href && (
            <Button
              component="a"
              href={href}
              target="_blank"
              rel="noopener noreferrer"
              leftSection={<IconExternalLink size={16} stroke={1.6} aria-hidden />}
            >
              Open in the browser
            </Button>
          )}
          <Button
            variant="filled"
            disabled={!taken}
            aria-describedby={taken ? undefined : 'login-taken'}
            onClick={done}
          >
            Done
          </Button>
        </Group>
      </div>
    </BaseDialog>
  );
}

const two = (count: number) => String(count).padStart(2, '0');

/** "Closes in 59:58". Read by a screen reader when it gets there, and not each second. */
function Countdown({ until }: { until: number }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.ceil((until - now) / 1000));
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60,
  ];
  const clock = `${hours > 0 || days > 0 ? `${hours}:` : ''}${hours > 0 || days > 0 ? two(minutes) : minutes}:${two(seconds % 60)}`;
  return (
    <span role="timer" className="tabular">
      {seconds === 0 ? 'It has closed.' : `Closes in ${days > 0 ? `${days} d ` : ''}${clock}.`}
    </span>
  );
}
