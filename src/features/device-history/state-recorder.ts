// The history of states of the account, as this browser stores it; every reading of the fleet goes into it.
import { useMemo } from 'react';
import { onStatesRead } from '#/fleet/states-read.ts';
import { currentAccount, stored } from '#/lib/stored.ts';
import { useStore } from '#/ui/state/use-store.ts';
import {
  NO_HISTORY,
  statesFormat,
  watchedFormat,
  withDevice,
  withReading,
  type StateHistory,
} from './state-history.ts';

type States = Pick<StateHistory, 'changes' | 'away'>;
const NO_STATES: States = NO_HISTORY;
const storedStates = stored('muster-states', NO_STATES, statesFormat);
const storedWatched = stored('muster-watched', NO_HISTORY.watched, watchedFormat);

function change(how: (history: StateHistory) => StateHistory): void {
  if (currentAccount.get() === '') return;
  const before = { ...storedStates.get(), watched: storedWatched.get() };
  const history = how(before);
  if (history === before) return;
  const { watched, ...states } = history;
  storedStates.set(states);
  storedWatched.set(watched);
}

let isRecording = false;

/** From now on every reading of the fleet is remembered. */
export function recordStates(): void {
  if (isRecording) return;
  isRecording = true;
  onStatesRead((reading) => change((history) => withReading(history, reading)));
}

export const noteDevice = (look: Parameters<typeof withDevice>[1]): void =>
  change((history) => withDevice(history, look));

export function useStateHistory(): StateHistory {
  const [states, watched] = [useStore(storedStates), useStore(storedWatched)];
  return useMemo(() => ({ ...states, watched }), [states, watched]);
}
