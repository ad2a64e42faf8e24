// The entries opened most recently, stored in this browser for each account.
import * as z from 'zod/mini';
import { json, stored } from '#/lib/stored.ts';
import type { Entry } from './entry.ts';

const MOST = 6;

const recent = stored(
  'muster-recent',
  [],
  // Only paths of the dashboard are accepted from storage.
  json(z.array(z.object({ id: z.string(), label: z.string(), to: z.string().check(z.regex(/^\/(?![/\\])/)) }))),
);

export const recentEntries = (): Entry[] => recent.get();

/** Puts an entry first. Actions without a path are always listed, so they are left out. */
export function addRecent({ id, label, to }: Entry): void {
  if (to === undefined) return;
  const others = recent.get().filter((each) => each.id !== id);
  recent.set([{ id, label, to }, ...others].slice(0, MOST));
}
