// The open dialog of a page and its subject, in the URL: `?dialog=delete&artifact=…`. Back closes it, a reload restores it,
// and a link can open it.
import { useMemo } from 'react';
import type { To } from 'react-router';
import { optional, urlSchema } from '#/ui/url/url-schema.ts';
import { useUrlState } from '#/ui/url/use-url-state.ts';

export interface Dialog<Name extends string> {
  name: string | null;
  /** The id of what the dialog is about. */
  subject: string | null;
  /** Props of a link that opens a dialog. */
  link: (name: Name, subject?: string) => { to: To; state: unknown };
  open: (name: Name, subject?: string) => void;
  close: () => void;
}

/** `subjectName`: the search parameter for the id of what a dialog is about. */
export function useDialog<Name extends string>(subjectName: string): Dialog<Name> {
  const schema = useMemo(
    () => urlSchema<Record<string, string | undefined>>({ dialog: optional, [subjectName]: optional }),
    [subjectName],
  );
  const [value, url] = useUrlState(schema);
  const patch = (name: Name, subject: string | undefined) => ({ dialog: name, [subjectName]: subject });
  return {
    name: value['dialog'] ?? null,
    subject: value[subjectName] ?? null,
    link: (name, subject) => url.opening(patch(name, subject)),
    open: (name, subject) => url.open(patch(name, subject)),
    close: () => url.close('dialog', subjectName),
  };
}
