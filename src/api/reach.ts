// Whether the service is reachable. After a request without an answer it is in doubt, and one small request, the probe, goes
// out at once. Reads wait for it (call.ts), and so does the event stream. Once two probes in a row had no answer the service
// is away: reads fail without being sent, and only the probe is repeated, less and less often, until any request is answered.
import { createStore } from '#/lib/store.ts';

export type Reach = 'reachable' | 'in doubt' | 'away';

const reach = createStore<Reach>('reachable');
/** When the last response came, in milliseconds since the epoch. */
let answeredAt = Date.now();

export const lastResponseTime = (): number => answeredAt;
export const reachNow = reach.get;
export const isUnreachable = (): boolean => reach.get() !== 'reachable';
export const onReach = reach.subscribe;

/** Milliseconds before the second probe; before each later one twice as long, up to the most. */
const PAUSE = { first: 1_000, most: 30_000 };

/** Random, so that pages that lost the service together do not all return together. */
const pauseAfter = (failures: number): number =>
  Math.min(PAUSE.most, PAUSE.first * 2 ** (failures - 1)) * (0.8 + Math.random() * 0.4);

let probe: (() => Promise<unknown>) | undefined;
let failures = 0;
let isProbing = false;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Records a response of the service. */
export function reportAnswer(): void {
  answeredAt = Date.now();
  failures = 0;
  clearTimeout(timer);
  reach.set('reachable');
}

/** Records that a request had no answer, or only one of a proxy that cannot reach the service. */
export function reportSilence(): void {
  if (reach.get() !== 'reachable') return;
  reach.set('in doubt');
  void probeNow();
}

/** Probes now instead of later, even if nothing is known to be wrong; never twice at the same time. */
export async function probeNow(): Promise<void> {
  if (!probe || isProbing) return;
  clearTimeout(timer);
  isProbing = true;
  // The probe reports its answer or its silence like any request.
  await probe().catch(() => {});
  isProbing = false;
  if (reach.get() === 'reachable') return;
  if (++failures > 1) reach.set('away');
  clearTimeout(timer);
  timer = setTimeout(() => void probeNow(), pauseAfter(failures));
}

/** Starts probing when the service is in doubt; without it nothing waits. The returned function ends it. */
export function watchReach(sendProbe: () => Promise<unknown>): () => void {
  probe = sendProbe;
  const wake = ({ type }: Pick<Event, 'type'>) => {
    if (type === 'offline' || isUnreachable()) void probeNow();
  };
  const end = new AbortController();
  for (const type of ['online', 'offline', 'focus', 'visibilitychange']) addEventListener(type, wake, end);
  wake({ type: '' });
  return () => {
    probe = undefined;
    clearTimeout(timer);
    end.abort();
  };
}

/** Resolves with whether the service is reachable: at once unless it is in doubt. */
export async function whetherReachable(signal?: AbortSignal): Promise<boolean> {
  if (probe) await until(() => reach.get() !== 'in doubt', signal);
  return !probe || reach.get() === 'reachable';
}

/** Resolves when the service is reachable. */
export const whenReachable = (signal: AbortSignal): Promise<void> => until(() => !probe || !isUnreachable(), signal);

function until(isReached: () => boolean, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (isReached() || signal?.aborted) return resolve();
    const end = () => {
      leave();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const leave = reach.subscribe(() => isReached() && end());
    signal?.addEventListener('abort', end, { once: true });
  });
}
