// The history of states of the account, as this browser stores it; every reading of the fleet goes into it.
import { useMemo } from 'react';
import { onStatesChanged, onStatesRead, type StatesChanged } from '#/fleet/states-read.ts';
import { currentAccount, stored } from '#/lib/stored.ts';
import { useStore } from '#/ui/state/use-store.ts';
import {
  NO_HISTORY,
  statesFormat,
  watchedFormat,
  withChanges,
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

/** Milliseconds for which changes are gathered: storing them writes all of the history. */
const GATHER = 3_000;
let gathered: StatesChanged | undefined;

function storeGathered(): void {
  const changed = gathered;
  gathered = undefined;
  if (changed) change((history) => withChanges(history, changed));
}

function gather(changed: StatesChanged): void {
  if (!gathered) setTimeout(storeGathered, GATHER);
  gathered = { ...changed, states: [...(gathered?.states ?? []), ...changed.states] };
}

/** From now on every reading of the fleet is remembered. */
export function recordStates(): void {
  if (isRecording) return;
  isRecording = true;
  onStatesChanged(gather);
  onStatesRead((reading) => {
    storeGathered();
    change((history) => withReading(history, reading));
  });
}

export const noteDevice = (look: Parameters<typeof withDevice>[1]): void =>
  change((history) => withDevice(history, look));

export function useStateHistory(): StateHistory {
  const [states, watched] = [useStore(storedStates), useStore(storedWatched)];
  return useMemo(() => ({ ...states, watched }), [states, watched]);
}
