// Tells whoever keeps the history of states what a reading of the fleet showed. Apart from the store, so that listening
// does not bring the code that reads the fleet along.
import type { FleetIndex } from './fleet-index.ts';
import type { Away, StatesRead } from '#/features/device-history/state-history.ts';

const listeners = new Set<(reading: StatesRead) => void>();

export function onStatesRead(listener: (reading: StatesRead) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** `before`: what was known until then. */
export function tellStates(index: FleetIndex, before: FleetIndex | undefined, every: number): void {
  if (listeners.size === 0) return;
  const away = new Map<string, Away>();
  for (const { id, state, seen } of index.away()) away.set(id, { state, seen });
  const has = (of: FleetIndex | undefined) => (id: string) => of?.rowOf(id) !== undefined;
  const reading = { at: Date.now(), every, away, has: has(index), had: has(before) };
  for (const listener of listeners) listener(reading);
}
