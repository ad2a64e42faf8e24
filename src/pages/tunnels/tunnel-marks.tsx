// The marks of a tunnel, each an icon and a word, and what protects or ends it.
import { IconClock, IconHourglass, IconLock, IconPlug, IconWorld } from '@tabler/icons-react';
import type { Tunnel } from '#/contract/tunnels.ts';
import { portExposure } from '#/features/tunnels/tunnel-address.ts';
import { formatDuration } from '#/lib/format.ts';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { exposureText, type Exposure } from './exposure.ts';
import classes from './tunnels-page.module.css';

const icon = { size: 15, stroke: 1.7, 'aria-hidden': true };

function Mark({ exposure, days }: { exposure: Exposure; days: number }) {
  const text = exposureText(exposure, days);
  if (exposure === 'offline') return <StateMark state="Offline" label={text} />;
  if (exposure === 'gone') return <StateMark state="Cancelled" label={text} />;
  const Icon = exposure === 'public' ? IconWorld : IconClock;
  return (
    <span className={classes.warn}>
      <Icon {...icon} /> {text}
    </span>
  );
}

export function TunnelMarks({ tunnel, marks, days }: { tunnel: Tunnel; marks: readonly Exposure[]; days: number }) {
  const isProtected = tunnel.Auth?.toLowerCase() === 'basic';
  const { ExpiresAt, IdleTimeout } = tunnel;
  const port = portExposure(tunnel);
  if (marks.length === 0 && !port && !isProtected && !ExpiresAt && !IdleTimeout) return <span className="dim">–</span>;
  return (
    <span className={classes.marks}>
      {marks.map((mark) => (
        <Mark key={mark} exposure={mark} days={days} />
      ))}
      {port && (
        <span className={classes.fact} title={port.title}>
          <IconPlug {...icon} /> {port.text}
        </span>
      )}
      {isProtected && (
        <span className={classes.fact}>
          <IconLock {...icon} /> Asks for a password
        </span>
      )}
      {ExpiresAt && (
        <span className={classes.fact}>
          <IconHourglass {...icon} /> Ends <Timestamp text={ExpiresAt} ahead />
        </span>
      )}
      {IdleTimeout !== undefined && IdleTimeout > 0 && (
        <span className={classes.fact}>
          <IconHourglass {...icon} /> Ends after {formatDuration(IdleTimeout * 1000).replace(/ 0 s$/, '')} unused
        </span>
      )}
    </span>
  );
}
