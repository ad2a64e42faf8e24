// The state of these pages that stands in the URL: filters replace the entry of the history, dialogs and an opened child
// add one, so that Back closes them.
import { useLocation, useNavigate } from 'react-router';
import type { To } from 'react-router';
import { goBackOnce } from './go-back.ts';
import { paramsNow } from './params-now.ts';

/** Marks an entry of the history that a page made itself, so that closing may go back over it. */
const OPENED = { opened: true };
const isOpened = (state: unknown) => typeof state === 'object' && state !== null && 'opened' in state;

type Change = Record<string, string | undefined>;

export interface Address {
  params: URLSearchParams;
  /** Takes the place of the current entry: for filters. */
  set: (change: Change) => void;
  /** A link that opens something over the page. */
  opening: (change: Change) => { to: To; state: unknown };
  /** The same, at once. */
  open: (change: Change) => void;
  /** Closes what was opened: back, or without these parameters where the page was entered so. */
  close: (...names: string[]) => void;
}

export function useAddress(): Address {
  const location = useLocation();
  const { search } = location;
  const state: unknown = location.state;
  const navigate = useNavigate();
  const params = new URLSearchParams(search);
  const changed = (change: Change, from = params): To => {
    const next = new URLSearchParams(from);
    for (const [name, value] of Object.entries(change)) {
      if (value === undefined || value === '') next.delete(name);
      else next.set(name, value);
    }
    return { search: next.toString() };
  };
  const opening: Address['opening'] = (change) => ({ to: changed(change), state: OPENED });
  return {
    params,
    set: (change) => void navigate(changed(change, paramsNow()), { replace: true, state }),
    opening,
    open: (change) => {
      const { to, state: next } = opening(change);
      void navigate(to, { state: next });
    },
    close: (...names) => {
      if (isOpened(state)) goBackOnce(navigate);
      else void navigate(changed(Object.fromEntries(names.map((name) => [name, undefined]))), { replace: true });
    },
  };
}
