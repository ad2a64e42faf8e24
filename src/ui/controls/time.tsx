// A point in time: relative in the text and absolute in the tooltip, or the other way round. All share one clock.
import { useSyncExternalStore } from 'react';
import { formatAge, formatTime } from '#/lib/format.ts';
import { useLook } from './look.ts';

const TICK = 5_000;
let now = new Date();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function subscribe(listener: () => void) {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = new Date();
    for (const each of listeners) each();
  }, TICK);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The time of the shared clock, which ticks every few seconds. */
export const useNow = (): Date => useSyncExternalStore(subscribe, current);

function current(): Date {
  if (timer) return now;
  // Nobody subscribes yet. Within a tick it must be the same object, or React would see a change during each render and
  // render again and again.
  const tick = Math.floor(Date.now() / TICK) * TICK;
  if (now.getTime() !== tick) now = new Date(tick);
  return now;
}

interface TimeProps {
  /** A date or milliseconds; if undefined, `raw` is shown, or a dash. */
  at: Date | number | undefined;
  /** The text as the service sent it. */
  raw?: string | undefined;
  /** The time may be in the future. Any other has passed, even if the clocks of service and browser differ. */
  ahead?: boolean;
  /** Absolute in the text. */
  exact?: boolean;
}

export function Time({ at: given, raw = '', ahead = false, exact = false }: TimeProps) {
  const present = useNow();
  const { zone } = useLook();
  if (given === undefined) return <span className="dim">{raw || '–'}</span>;
  const at = new Date(given);
  const age = formatAge(ahead || at < present ? at : present, present);
  const time = formatTime(at, zone);
  return (
    <time dateTime={at.toISOString()} title={exact ? age : time} className="tabular">
      {exact ? time : age}
    </time>
  );
}
