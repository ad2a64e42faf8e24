// Whether the service answers. Every request tells; from the first that got no answer on it counts as lost, until one does.
import { createStore } from '#/lib/store.ts';

const lost = createStore(false);
/** When the last answer came, in milliseconds since the epoch. */
let answeredAt = Date.now();

/** An answer came, whatever it said. A gateway that cannot reach what is behind it answers for nobody. */
export function noteAnswer(status: number): void {
  if (status === 502 || status === 504) return noteSilence();
  answeredAt = Date.now();
  lost.set(false);
}

export const noteSilence = (): void => lost.set(true);

export const lastAnswer = (): number => answeredAt;
export const isLostNow = lost.get;
export const onReach = lost.subscribe;
