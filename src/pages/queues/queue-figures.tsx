// Four figures about the fleet's queues, each a link to the rows behind it.
import type { ReactNode } from 'react';
import { Button } from '@mantine/core';
import { paths } from '#/paths.ts';
import { devicesText, formatCount } from '#/lib/format.ts';
import { Time } from '#/ui/controls/time.tsx';
import { Link } from '#/ui/url/link.tsx';
import type { QueueTotals as Figures } from './queue-rows.ts';
import classes from './queues.module.css';
import { Gate } from '#/ui/controls/gate.tsx';

interface QueueFiguresProps {
  figures: Figures;
  /** Whether all data that decides about stale jobs is loaded. */
  settled: boolean;
  /** Why none may be removed. */
  why: string | undefined;
  onRemove: () => void;
}

export function QueueFigures({ figures, settled, why, onRemove }: QueueFiguresProps) {
  const { devices, waiting, running, longest, oldest, stale, staleDevices, staleOffline } = figures;
  const since = oldest?.oldest?.created;
  const returning = staleDevices === 1 ? 'its device reconnects' : 'their devices reconnect';
  const reasons =
    staleOffline === 0
      ? stale > 0
        ? ` on ${devicesText(staleDevices)}`
        : ''
      : staleOffline === stale
        ? ` will run when ${returning}`
        : `, ${formatCount(staleOffline)} of them when ${returning}`;
  return (
    <div className={classes.figures}>
      <Figure
        to={paths.queues()}
        big={formatCount(waiting)}
        what={`${waiting === 1 ? 'job waits' : 'jobs wait'} on ${devicesText(devices)}${running > 0 ? `, ${formatCount(running)} running` : ''}`}
      />
      <Figure
        to={longest && paths.queues({ sort: '-waiting', open: longest.id })}
        big={longest ? formatCount(longest.waiting.length) : '–'}
        what="in the longest queue"
        whose={longest?.name}
      />
      <Figure
        to={oldest && paths.queues({ open: oldest.id })}
        big={since === undefined ? '–' : <Time at={since} />}
        what="the oldest job"
        whose={oldest?.name}
      />
      <Figure
        to={stale > 0 ? paths.queues({ stale: 'any' }) : undefined}
        big={settled || stale > 0 ? formatCount(stale) : '–'}
        what={`${stale === 1 ? 'stale job' : 'stale jobs'}${reasons}`}
        warn={stale > 0}
      >
        {stale > 0 && (
          <Gate why={why}>
            <Button size="xs" color="red" variant="light" onClick={onRemove}>
              Remove stale…
            </Button>
          </Gate>
        )}
      </Figure>
    </div>
  );
}

function Figure(props: {
  to: string | undefined;
  big: ReactNode;
  what: string;
  /** The device that the figure is about. */
  whose?: string | undefined;
  warn?: boolean;
  children?: ReactNode;
}) {
  const { to, big, what, whose, warn = false, children } = props;
  const text = (
    <>
      <span className={classes.big} data-warn={warn || undefined}>
        {big}
      </span>
      <span className={classes.what}>
        {what} {whose !== undefined && <bdi>{whose}</bdi>}
      </span>
    </>
  );
  return (
    <div className={classes.figure}>
      {to ? <Link to={to}>{text}</Link> : <div>{text}</div>}
      {children}
    </div>
  );
}
