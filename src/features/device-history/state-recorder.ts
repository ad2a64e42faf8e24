// The history of states as this browser keeps it for whoever is signed in; every reading of the fleet goes into it.
import { useSyncExternalStore } from 'react';
import { accountKey, useAccountKey } from '#/api/account-key.ts';
import { printHistory, readHistory, withDevice, withReading } from './state-history.ts';
import type { StateHistory } from './state-history.ts';
import { onStatesRead } from '#/fleet/states-read.ts';
import { keepText, onKept, readKept } from '#/ui/form/kept-text.ts';

const STATES = 'muster-states';
const WATCHED = 'muster-watched';

interface Known {
  states: string | null;
  watched: string | null;
  history: StateHistory;
}

// Another tab may have written since: only the same text is the same history.
const known = new Map<string, Known>();

function historyOf(statesKey: string, watchedKey: string): StateHistory {
  const [states, watched] = [readKept(statesKey), readKept(watchedKey)];
  const before = known.get(statesKey);
  if (before?.states === states && before.watched === watched) return before.history;
  const history =
    before?.states === states
      ? { ...before.history, watched: readHistory(null, watched).watched }
      : readHistory(states, watched);
  known.set(statesKey, { states, watched, history });
  return history;
}

function change(how: (history: StateHistory) => StateHistory): void {
  const [statesKey, watchedKey] = [accountKey(STATES), accountKey(WATCHED)];
  if (!statesKey || !watchedKey) return;
  const before = historyOf(statesKey, watchedKey);
  const history = how(before);
  if (history === before) return;
  const [states, watched] = printHistory(history);
  // Known before it is kept: whoever listens reads it at once, and more of it than the text holds.
  known.set(statesKey, { states, watched, history });
  if (readKept(statesKey) !== states) keepText(statesKey, states);
  if (readKept(watchedKey) !== watched) keepText(watchedKey, watched);
}

let isKeeping = false;

/** From now on every reading of the fleet is remembered. */
export function keepStates(): void {
  if (isKeeping) return;
  isKeeping = true;
  onStatesRead((reading) => change((history) => withReading(history, reading)));
}

/** What a page of its own has read of one device. */
export const noteDevice = (look: Parameters<typeof withDevice>[1]): void =>
  change((history) => withDevice(history, look));

export function useStateHistory(): StateHistory {
  const [states, watched] = [useAccountKey(STATES), useAccountKey(WATCHED)];
  return useSyncExternalStore(onKept, () => historyOf(states, watched));
}
