// Whether the service answers. Every request tells; from the first that got no answer on it counts as lost, until one does.

interface Reach {
  isLost: boolean;
  /** When the last answer came, in milliseconds since the epoch. */
  answeredAt: number;
}

let reach: Reach = { isLost: false, answeredAt: Date.now() };
const listeners = new Set<() => void>();

function set(next: Reach): void {
  const changed = next.isLost !== reach.isLost;
  reach = next;
  if (changed) for (const listener of listeners) listener();
}

/** An answer came, whatever it said. A gateway that cannot reach what is behind it answers for nobody. */
export const noteAnswer = (status: number): void =>
  status === 502 || status === 504 ? noteSilence() : set({ isLost: false, answeredAt: Date.now() });

export function noteSilence(): void {
  set({ ...reach, isLost: true });
}

export const lastAnswer = (): number => reach.answeredAt;
export const isLostNow = (): boolean => reach.isLost;

export function onReach(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
