// Whether the service is reachable: unreachable from the first request without an answer until the next answer.
import { createStore } from '#/lib/store.ts';

const lost = createStore(false);
/** When the last answer came, in milliseconds since the epoch. */
let answeredAt = Date.now();

/** An answer came, whatever its status. A gateway that cannot reach its upstream service does not count. */
export function reportAnswer(status: number): void {
  if (status === 502 || status === 504) return reportSilence();
  answeredAt = Date.now();
  lost.set(false);
}

export const reportSilence = (): void => lost.set(true);

export const lastAnswer = (): number => answeredAt;
export const isLostNow = lost.get;
export const onReach = lost.subscribe;
