// Which dialog of a page is open and what it is about, as it stands in the URL: `?dialog=delete&artifact=…`. Back closes
// it, a reload brings it back, a link can open it.
import { useLocation, useNavigate } from 'react-router';
import type { To } from 'react-router';
import { goBackOnce } from '#/ui/url/go-back.ts';

/** Marks an entry of the history that opening made, so that closing may go back over it. */
const OPENED = { dialog: true };

const isOpened = (state: unknown): boolean => typeof state === 'object' && state !== null && 'dialog' in state;

export interface Dialog<Name extends string> {
  name: string | null;
  /** Id of what it is about. */
  subject: string | null;
  /** Props of a router link that opens a dialog. */
  link: (name: Name, subject?: string) => { to: To; state: unknown };
  open: (name: Name, subject?: string) => void;
  close: () => void;
}

/** `subjectName`: the search parameter that holds the id of what a dialog is about. */
export function useDialog<Name extends string>(subjectName: string): Dialog<Name> {
  const location = useLocation();
  const { search } = location;
  const state: unknown = location.state;
  const navigate = useNavigate();
  const params = new URLSearchParams(search);
  const without = new URLSearchParams(search);
  without.delete('dialog');
  without.delete(subjectName);
  const link: Dialog<Name>['link'] = (name, subject) => {
    const next = new URLSearchParams(without);
    next.set('dialog', name);
    if (subject !== undefined) next.set(subjectName, subject);
    return { to: { search: `?${next}` }, state: OPENED };
  };
  return {
    name: params.get('dialog'),
    subject: params.get(subjectName),
    link,
    open: (name, subject) => {
      const { to } = link(name, subject);
      void navigate(to, { state: OPENED });
    },
    // A dialog that was opened by its address has no entry of ours before it.
    close: () => {
      if (isOpened(state)) goBackOnce(navigate);
      else void navigate({ search: without.toString() }, { replace: true });
    },
  };
}
