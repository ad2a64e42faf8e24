// Progress of an upload: its percentage, speed and time left, from the last few seconds.

export interface Transfer {
  sent: number;
  total: number;
  /** Points in time (milliseconds) with the bytes sent until then, oldest first. */
  samples: readonly { at: number; sent: number }[];
}

/** The speed is measured over this many milliseconds, so that it follows changes of the network. */
const WINDOW = 4_000;
/** A shorter time would only measure noise. */
const LEAST = 300;

export const startTransfer = (total: number, at: number): Transfer => ({ sent: 0, total, samples: [{ at, sent: 0 }] });

export function advance({ samples }: Transfer, { sent, total }: { sent: number; total: number }, at: number): Transfer {
  // One sample from before the window is kept, since the window's first bytes are counted from it.
  const firstInside = samples.findIndex((sample) => at - sample.at <= WINDOW);
  const recent = firstInside === -1 ? samples.slice(-1) : samples.slice(Math.max(0, firstInside - 1));
  return { sent, total, samples: [...recent, { at, sent }] };
}

/** Recent bytes per second; undefined while unknown. Approaches 0 when nothing is sent. */
export function speedOf({ samples, sent }: Transfer, now: number): number | undefined {
  const from = samples.find(({ at }) => now - at <= WINDOW) ?? samples.at(-1);
  if (!from || now - from.at < LEAST) return undefined;
  return ((sent - from.sent) / (now - from.at)) * 1000;
}

/** Whole percent; 100 only when every byte is on its way. */
export const percentOf = ({ sent, total }: Transfer): number =>
  total > 0 ? Math.min(100, Math.floor((sent / total) * 100)) : 0;

/** Milliseconds left at this speed; undefined if unknown. */
export function uploadTimeLeft({ sent, total }: Transfer, speed: number | undefined): number | undefined {
  return speed !== undefined && speed > 0 ? ((total - sent) / speed) * 1000 : undefined;
}

/** Whether nothing has been sent for so long that the user should know. */
export const hasStalled = ({ samples, sent, total }: Transfer, now: number): boolean =>
  sent < total && now - (samples.at(-1)?.at ?? now) > 10_000;
