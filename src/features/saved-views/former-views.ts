// Views that an earlier version stored in this browser, until the service has them.
import * as z from 'zod/mini';
import { LONGEST_VIEW_NAME, LONGEST_VIEW_QUERY, type SavedView } from '#/contract/views.ts';
import { viewNamed } from '#/api/view-writes.ts';
import { json, stored } from '#/lib/stored.ts';
import { cleanWords } from './view-words.ts';

const NONE: { views: { name: string; view: string }[] } = { views: [] };

export const formerViews = stored(
  'muster-views',
  NONE,
  json(z.object({ views: z.array(z.object({ name: z.string(), view: z.string() })) })),
);

/** A name that none of them has: "North 2". */
export function freeName(views: readonly Pick<SavedView, 'Name'>[], name: string): string {
  const base =
    name
      .replace(/\s+/g, ' ')
      .trim()
      .slice(0, LONGEST_VIEW_NAME - 5)
      .trim() || 'View';
  let free = base;
  for (let number = 2; viewNamed(views as readonly SavedView[], free); number++) free = `${base} ${number}`;
  return free;
}

/** Saves each as a private view; what is saved is in this browser no more. Returns how many these were. */
export async function moveFormerViews(
  existing: readonly SavedView[],
  save: (name: string, content: Pick<SavedView, 'Query' | 'Private'>) => Promise<void>,
): Promise<number> {
  const names: Pick<SavedView, 'Name'>[] = [...existing];
  let moved = 0;
  for (const { name, view } of formerViews.get().views) {
    const Query = cleanWords(view).slice(0, LONGEST_VIEW_QUERY);
    const Name = freeName(names, name);
    if (!existing.some((each) => each.Query === Query)) await save(Name, { Query, Private: true });
    names.push({ Name });
    moved++;
    const rest = formerViews.get().views.slice(1);
    formerViews.set(rest.length === 0 ? NONE : { views: rest });
  }
  return moved;
}
