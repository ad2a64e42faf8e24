// What was opened from the palette of late, as this browser keeps it for each account.
import { keepText, readKept } from '#/ui/form/kept-text.ts';
import type { Entry } from './entry.ts';

const MOST = 6;

type Recent = Required<Pick<Entry, 'id' | 'label' | 'to'>>;

const isRecent = (value: unknown): value is Recent => {
  if (typeof value !== 'object' || value === null) return false;
  const { id, label, to } = value as Record<string, unknown>;
  // A path of ours and nothing else, whatever stands in the storage.
  return typeof id === 'string' && typeof label === 'string' && typeof to === 'string' && /^\/(?![/\\])/.test(to);
};

/** What is kept under a key; what cannot be read is left out. */
export function readRecent(key: string): Entry[] {
  try {
    const kept: unknown = JSON.parse(readKept(key) ?? '[]');
    if (!Array.isArray(kept)) return [];
    return kept.filter(isRecent).map(({ id, label, to }) => ({ id, label, to, kind: 'Recent' }));
  } catch {
    return [];
  }
}

/** Puts an entry first. Only what leads somewhere: an action is offered by itself. */
export function keepRecent(key: string, { id, label, to }: Entry): void {
  if (to === undefined) return;
  const others = readRecent(key).filter((each) => each.id !== id);
  const kept = [{ id, label, to }, ...others.map((each) => ({ id: each.id, label: each.label, to: each.to }))];
  keepText(key, JSON.stringify(kept.slice(0, MOST)));
}
