// Passes the states of each reading of the fleet to its listeners. Separate from the store, so that listening does not
// load the code that reads the fleet.
import type { FleetIndex } from './fleet-index.ts';
import type { ReportedState } from './follow.ts';

/** A device that is not Online. */
export interface Away {
  state: string;
  /** Its last contact, in milliseconds: NaN for never, undefined if the service does not report it. */
  seen: number | undefined;
}

/** The states of one reading of the fleet. */
export interface StatesRead {
  at: number;
  /** Milliseconds from one reading to the next, while a page is open. */
  every: number;
  /** By id. */
  away: ReadonlyMap<string, Away>;
  has: (id: string) => boolean;
  /** Whether the previous reading contained it; false if there was none. */
  had: (id: string) => boolean;
}

/** The states that changed since the last time, possibly none. */
export interface StatesChanged {
  at: number;
  every: number;
  states: readonly ReportedState[];
}

const changeListeners = new Set<(changed: StatesChanged) => void>();

export function onStatesChanged(listener: (changed: StatesChanged) => void): () => void {
  changeListeners.add(listener);
  return () => changeListeners.delete(listener);
}

export function tellChangedStates(states: readonly ReportedState[], every: number): void {
  for (const listener of changeListeners) listener({ at: Date.now(), every, states });
}

const listeners = new Set<(reading: StatesRead) => void>();

export function onStatesRead(listener: (reading: StatesRead) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** `before`: the previous index. */
export function tellStates(index: FleetIndex, before: FleetIndex | undefined, every: number): void {
  if (listeners.size === 0) return;
  const away = new Map<string, Away>();
  for (const { id, state, seen } of index.away()) away.set(id, { state, seen });
  const has = (of: FleetIndex | undefined) => (id: string) => of?.rowOf(id) !== undefined;
  const reading = { at: Date.now(), every, away, has: has(index), had: has(before) };
  for (const listener of listeners) listener(reading);
}
