// The entries of the command palette, and how well they match a search.
import type { StateWords } from '#/ui/controls/state-words.ts';
import { fold, wordsOf } from '#/fleet/text.ts';

export interface EntryGroup {
  kind:
    | 'Recent'
    | 'Devices'
    | 'Pages'
    | 'Actions'
    | 'Jobs'
    | 'Rollouts'
    | 'Alerts'
    | 'Artifacts'
    | 'Versions'
    | 'Groups'
    | 'Sites'
    | 'Tags'
    | 'Search';
  entries: readonly Entry[];
}

export interface Entry {
  /** Unique and stable, since recent entries are stored by it. */
  id: string;
  label: string;
  /** Beside the label: an id, a version or a count. */
  detail?: string | undefined;
  /** The state of a device or job. */
  state?: StateWords | undefined;
  /** Other words that find it. */
  also?: string;
  /** A path of the dashboard; without one, `run` does it. */
  to?: string;
  run?: () => void;
}

/** How well words match a label: 0 is no match, 5 the exact label. `also`: other words of the entry. */
function matchOf(words: readonly string[], label: string, also: string): number {
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

const entryMatch = (entry: Entry, words: readonly string[]) =>
  matchOf(words, entry.label, `${entry.detail ?? ''} ${entry.also ?? ''}`);

/**
 * The rank of a group; the smallest is listed first. A page or action whose name starts with the search precedes any
 * device; one that is only found by other words comes later.
 */
export function rankOf({ kind, entries: [first] }: EntryGroup, search: string): number {
  if (!first || (kind !== 'Pages' && kind !== 'Actions')) return kind === 'Search' ? 3 : 1;
  const match = entryMatch(first, wordsOf(search));
  return match >= 4 ? 0 : match >= 2 ? 1 : 2;
}

/** At most `most` matching entries, the best first. Equal matches keep their order. */
export function bestOf(entries: readonly Entry[], search: string, most: number): Entry[] {
  const words = wordsOf(search);
  return entries
    .map((entry) => ({ entry, match: entryMatch(entry, words) }))
    .filter(({ match }) => match > 0)
    .sort((one, two) => two.match - one.match)
    .slice(0, most)
    .map(({ entry }) => entry);
}
