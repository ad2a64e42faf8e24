// The state of a page in its URL. A filter replaces the entry of the history; a dialog or an opened row adds one, so
// that Back closes it.
import { useLocation, useNavigate, type NavigateFunction, type To } from 'react-router';
import type { UrlSchema } from './url-schema.ts';

/** Marks an entry of the history that a page made itself, so that closing may go back over it. */
const OPENED = { opened: true };
const isOpened = (state: unknown) => typeof state === 'object' && state !== null && 'opened' in state;

/** Going back twice would leave the page: two clicks can arrive before the first has navigated. */
let isGoing = false;
function goBackOnce(navigate: NavigateFunction): void {
  if (isGoing) return;
  isGoing = true;
  window.addEventListener('popstate', () => (isGoing = false), { once: true });
  void navigate(-1);
}

export interface UrlActions<State> {
  /** Changes the present entry of the history, or with `replace: false` adds one. */
  set: (patch: Partial<State> | ((now: State) => Partial<State>), options?: { replace?: boolean }) => void;
  /** A link to this page after a change. */
  to: (patch: Partial<State>) => { search: string };
  /** A link that opens something over the page. */
  opening: (patch: Partial<State>) => { to: To; state: unknown };
  /** The same, at once. */
  open: (patch: Partial<State>) => void;
  /** Closes what was opened: back, or without these parts where the page was entered so. */
  close: (...names: (keyof State)[]) => void;
}

export function useUrlState<State extends object>(schema: UrlSchema<State>): [State, UrlActions<State>] {
  const location = useLocation();
  const { search } = location;
  const state: unknown = location.state;
  const navigate = useNavigate();
  // The address bar may be ahead of what is drawn: by a timer, or by a second click.
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
