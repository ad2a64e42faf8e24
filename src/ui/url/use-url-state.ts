// The state of a page in its URL. A filter replaces the history entry; a dialog or an expanded row adds one, so that Back
// closes it.
import { useLocation, useNavigate, type NavigateFunction, type To } from 'react-router';
import type { UrlSchema } from './url-schema.ts';

/** Marks history entries that a page added, so that closing can go back. */
const OPENED = { opened: true };
const isOpened = (state: unknown) => typeof state === 'object' && state !== null && 'opened' in state;

/** Prevents going back twice, which would leave the page: a second click can arrive before the first has navigated. */
let isGoing = false;
function goBackOnce(navigate: NavigateFunction): void {
  if (isGoing) return;
  isGoing = true;
  window.addEventListener('popstate', () => (isGoing = false), { once: true });
  void navigate(-1);
}

export interface UrlActions<State> {
  /** Changes the current history entry or, with `replace: false`, adds one. */
  set: (patch: Partial<State> | ((now: State) => Partial<State>), options?: { replace?: boolean }) => void;
  /** A link to this page with a change. */
  to: (patch: Partial<State>) => { search: string };
  /** A link that opens something over the page. */
  opening: (patch: Partial<State>) => { to: To; state: unknown };
  /** Opens something over the page. */
  open: (patch: Partial<State>) => void;
  /** Closes what was opened: goes back or, if the page was entered with it open, removes these parts from the URL. */
  close: (...names: (keyof State)[]) => void;
}

export function useUrlState<State extends object>(schema: UrlSchema<State>): [State, UrlActions<State>] {
  const location = useLocation();
  const { search } = location;
  const state: unknown = location.state;
  const navigate = useNavigate();
  // The address bar may be ahead of the render, after a timer or a second click.
  const changed = (patch: Partial<State> | ((now: State) => Partial<State>)): To => {
    const now = window.location.search;
    return { search: schema.change(now, typeof patch === 'function' ? patch(schema.read(now)) : patch) };
  };
  const to: UrlActions<State>['to'] = (patch) => ({ search: schema.change(search, patch) });
  const set: UrlActions<State>['set'] = (patch, { replace = true } = {}) =>
    void navigate(changed(patch), replace ? { replace, state } : {});
  return [
    schema.read(search),
    {
      set,
      to,
      opening: (patch) => ({ to: to(patch), state: OPENED }),
      open: (patch) => void navigate(changed(patch), { state: OPENED }),
      close: (...names) => {
        if (isOpened(state)) goBackOnce(navigate);
        else set(Object.fromEntries(names.map((name) => [name, schema.defaults[name]])) as Partial<State>);
      },
    },
  ];
}
