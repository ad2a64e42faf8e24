// What the command palette lists: one line each, with where it leads or what it does.
import type { StateWords } from '#/ui/controls/state-words.ts';
import { fold, wordsOf } from '#/fleet/text.ts';

export interface EntryGroup {
  kind: 'Recent' | 'Devices' | 'Pages' | 'Actions' | 'Jobs' | 'Artifacts' | 'Groups' | 'Tags' | 'Search';
  entries: readonly Entry[];
}

export interface Entry {
  /** Unique among all entries, and the same the next time. */
  id: string;
  label: string;
  /** Beside the label: an id, a version, how many. */
  detail?: string | undefined;
  /** Of a device or a job. */
  state?: StateWords | undefined;
  /** Other words that it is found by. */
  also?: string;
  /** A path of the dashboard; without one, `run` does it. */
  to?: string;
  run?: () => void;
}

/** How well words fit a text: 0 not at all, more is better. What begins like the words is what they are most often meant for. */
function fit(words: readonly string[], label: string, also: string): number {
  const text = fold(label);
  const rest = fold(also);
  if (!words.every((word) => text.includes(word) || rest.includes(word))) return 0;
  const all = words.join(' ');
  if (text === all) return 5;
  if (text.startsWith(all)) return 4;
  const parts = text.split(/[^\p{L}\p{N}]+/u);
  const starts = (word: string) => parts.some((part) => part.startsWith(word));
  if (words.every(starts)) return 3;
  return words.every((word) => text.includes(word)) ? 2 : 1;
}

const fitOf = (entry: Entry, words: readonly string[]) =>
  fit(words, entry.label, `${entry.detail ?? ''} ${entry.also ?? ''}`);

/**
 * Which group is listed first, the smallest first: a page or action with exactly that name is what was meant, before
 * any device that has the word in its name; one that is only found by other words is listed after them.
 */
export function rankOf({ kind, entries: [first] }: EntryGroup, search: string): number {
  if (!first || (kind !== 'Pages' && kind !== 'Actions')) return kind === 'Search' ? 3 : 1;
  const fits = fitOf(first, wordsOf(search));
  return fits >= 4 ? 0 : fits >= 2 ? 1 : 2;
}

/** The entries that fit, the best first, at most so many. In the order given where they fit alike. */
export function bestOf(entries: readonly Entry[], search: string, most: number): Entry[] {
  const words = wordsOf(search);
  return entries
    .map((entry) => ({ entry, fits: fitOf(entry, words) }))
    .filter(({ fits }) => fits > 0)
    .sort((one, two) => two.fits - one.fits)
    .slice(0, most)
    .map(({ entry }) => entry);
}
