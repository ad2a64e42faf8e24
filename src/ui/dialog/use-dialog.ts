// Which dialog of a page is open and what it is about, as the URL has it: `?dialog=delete&artifact=…`. Back closes
// it, a reload brings it back, a link can open it.
import { useMemo } from 'react';
import type { To } from 'react-router';
import { optional, urlSchema } from '#/ui/url/url-schema.ts';
import { useUrlState } from '#/ui/url/use-url-state.ts';

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
