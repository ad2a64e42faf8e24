// The ids that are selected in a list: a set that calls back when it changes, and the range that Shift selects.
import { createListeners } from '#/lib/store.ts';
import { useStore } from '#/ui/state/use-store.ts';

export class SelectedIds {
  private current: ReadonlySet<string> = new Set();
  private readonly listeners = createListeners();

  /** The current ids: a new set after each change, the same one in between. */
  readonly get = (): ReadonlySet<string> => this.current;

  readonly subscribe = this.listeners.subscribe;

  readonly toggle = (id: string): void => {
    if (this.current.has(id)) this.remove([id]);
    else this.add([id]);
  };

  /** Selects exactly these. */
  readonly set = (ids: Iterable<string>): void => {
    const next = new Set(ids);
    if (next.size === this.current.size && [...next].every((id) => this.current.has(id))) return;
    this.current = next;
    this.listeners.notify();
  };

  readonly add = (ids: Iterable<string>): void => this.set([...this.current, ...ids]);
  readonly remove = (ids: Iterable<string>): void => {
    const next = new Set(this.current);
    for (const id of ids) next.delete(id);
    this.set(next);
  };
  readonly clear = (): void => this.set([]);
}

/** The ids from one row to another, both included, in either direction; only `to` if `from` is not listed. */
export function rangeBetween(ids: readonly string[], from: string | undefined, to: string): string[] {
  const end = ids.indexOf(to);
  const start = from === undefined ? -1 : ids.indexOf(from);
  if (end < 0) return [];
  return start < 0 ? [to] : ids.slice(Math.min(start, end), Math.max(start, end) + 1);
}

/** A selection and what changes it; the functions never change. */
export interface Selection extends Pick<SelectedIds, 'toggle' | 'set' | 'add' | 'remove' | 'clear'> {
  ids: ReadonlySet<string>;
}

export function useSelectedIds(selected: SelectedIds): Selection {
  const ids = useStore(selected);
  const { toggle, set, add, remove, clear } = selected;
  return { ids, toggle, set, add, remove, clear };
}
