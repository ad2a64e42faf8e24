// Whether the service is reachable: it is not from the first request without a response until the next response.
import { createStore } from '#/lib/store.ts';

const unreachable = createStore(false);
/** When the last response came, in milliseconds since the epoch. */
let answeredAt = Date.now();

/** Records a response of any status, except a gateway's that cannot reach its upstream service. */
export function reportAnswer(status: number): void {
  if (status === 502 || status === 504) return reportSilence();
  answeredAt = Date.now();
  unreachable.set(false);
}

export const reportSilence = (): void => unreachable.set(true);

export const lastResponseTime = (): number => answeredAt;
export const isUnreachable = unreachable.get;
export const onReach = unreachable.subscribe;
