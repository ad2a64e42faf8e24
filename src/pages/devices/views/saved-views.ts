// Views of the device table under a name, as this browser stores them for an account and as a file carries them to another.
// What is read may be anybody's: only words that mean something are taken over.
import { cleanWords } from './view-words.ts';

export interface SavedView {
  id: string;
  name: string;
  words: string;
}

export const MOST_NAME = 80;
export const MOST_VIEWS = 200;

const KIND = 'muster-device-views';

export const cleanName = (name: string): string => name.replace(/\s+/g, ' ').trim().slice(0, MOST_NAME).trim();

export function newId(taken: readonly { id: string }[]): string {
  for (;;) {
    const id = Math.random().toString(36).slice(2, 8);
    if (id !== '' && !taken.some((each) => each.id === id)) return id;
  }
}

export type ReadViews = ReturnType<typeof readViews>;

/** Reads a file or what was stored. Raises an Error in plain words where it is neither. */
export function readViews(text: string): { views: SavedView[]; unreadable: number } {
  let file: unknown;
  try {
    file = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw new Error('It is not a complete JSON file.');
  }
  const { kind, version, views } = (file ?? {}) as Record<string, unknown>;
  if (kind !== KIND || !Array.isArray(views)) throw new Error('It is a JSON file without device views.');
  if (version !== 1) throw new Error('A newer version wrote it, which this one cannot read.');
  const found: SavedView[] = [];
  for (const entry of views as (Partial<Record<'id' | 'name' | 'view', unknown>> | null)[]) {
    const name = typeof entry?.name === 'string' ? cleanName(entry.name) : '';
    if (name === '' || typeof entry?.view !== 'string' || found.length >= MOST_VIEWS) continue;
    const id = typeof entry.id === 'string' && /^\w{1,32}$/.test(entry.id) ? entry.id : '';
    found.push({
      id: id && !found.some((each) => each.id === id) ? id : newId(found),
      name,
      words: cleanWords(entry.view),
    });
  }
  return { views: found, unreadable: views.length - found.length };
}

export const printViews = (views: readonly SavedView[]): string =>
  `${JSON.stringify({ kind: KIND, version: 1, views: views.map(({ id, name, words }) => ({ id, name, view: words })) }, null, 2)}\n`;

const isSameName = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();
export const named = (views: readonly SavedView[], name: string): SavedView | undefined =>
  views.find((view) => isSameName(view.name, cleanName(name)));

/** A name that none of them has: "North 2". */
export function freeName(views: readonly SavedView[], name: string): string {
  let free = name;
  for (let number = 2; named(views, free); number++) free = `${name.slice(0, MOST_NAME - 5)} ${number}`;
  return free;
}

/** What an import would bring, beside those that are there already. */
export interface ImportPlan {
  fresh: SavedView[];
  /** There already, the same in all. */
  known: number;
  /** Other views under names that are in use. */
  clashes: SavedView[];
}

export function planImport(mine: readonly SavedView[], given: readonly SavedView[]): ImportPlan {
  const plan: ImportPlan = { fresh: [], known: 0, clashes: [] };
  for (const view of given) {
    const same = named([...mine, ...plan.fresh], view.name);
    if (!same) plan.fresh.push(view);
    else if (same.words === view.words) plan.known++;
    else plan.clashes.push(view);
  }
  return plan;
}

export type ClashAnswer = 'both' | 'replace' | 'mine';

export function imported(mine: readonly SavedView[], plan: ImportPlan, answer: ClashAnswer): SavedView[] {
  const views = [...mine];
  const add = (view: SavedView) => views.push({ ...view, id: newId(views), name: freeName(views, view.name) });
  for (const view of plan.fresh) add(view);
  for (const view of plan.clashes) {
    const index = views.findIndex(({ name }) => isSameName(name, view.name));
    if (answer === 'both') add(view);
    else if (answer === 'replace' && views[index]) views[index] = { ...views[index], words: view.words };
  }
  return views;
}
