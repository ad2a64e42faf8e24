// A point in time: relative in the text, absolute on hover. All of them tick on one clock.
import { useSyncExternalStore } from 'react';
import { formatAge, formatTime } from '#/lib/format.ts';
import { useLook } from './look.ts';

const TICK = 5_000;
let now = new Date();
let timer: ReturnType<typeof setInterval> | undefined;
const watchers = new Set<() => void>();

function subscribe(watcher: () => void) {
  watchers.add(watcher);
  timer ??= setInterval(() => {
    now = new Date();
    for (const each of watchers) each();
  }, TICK);
  return () => {
    watchers.delete(watcher);
    if (watchers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The time of the shared clock, moving every few seconds. */
export const useNow = (): Date => useSyncExternalStore(subscribe, present);

function present(): Date {
  if (timer) return now;
  // Nobody watches yet. The same object within a tick: with another one React takes the time for changed while it drew, and
  // draws all of it again, without a rest.
  const tick = Math.floor(Date.now() / TICK) * TICK;
  if (now.getTime() !== tick) now = new Date(tick);
  return now;
}

interface TimeProps {
  /** As a date or in milliseconds; undefined: the text as the service sent it, or a dash when there is none. */
  at: Date | number | undefined;
  raw?: string | undefined;
  /** It may be still to come. Anything else has happened, though the clocks of service and browser differ. */
  ahead?: boolean;
}

export function Time({ at: time, raw = '', ahead = false }: TimeProps) {
  const moment = useNow();
  const { zone } = useLook();
  if (time === undefined) return <span className="dim">{raw || '–'}</span>;
  const at = new Date(time);
  return (
    <time dateTime={at.toISOString()} title={formatTime(at, zone)} className="tabular">
      {formatAge(ahead || at < moment ? at : moment, moment)}
    </time>
  );
}
