// The keys of a table whose rows can be selected: j and k go down and up the rows, x selects one.
// Enter opens a row, as its link has the focus.
import { useEffect, useRef, type RefObject } from 'react';
import { isFree } from '#/lib/free-key.ts';
import { useShortcuts, type Shortcut } from '#/ui/controls/shortcuts.ts';
import { useKeyDown } from '#/ui/controls/use-key-down.ts';

interface TableKeys {
  /** Of all rows, in order, drawn or not. */
  ids: readonly string[];
  toggle: (id: string) => void;
}

const SHORTCUTS: readonly Shortcut[] = [
  [['j'], 'Next row'],
  [['k'], 'Previous row'],
  [['Enter'], 'Open the row'],
  [['x'], 'Select or clear the row'],
  [['Shift', 'click'], 'Select a range'],
];

/** A row has its id in `data-id`; where not all are drawn, its index in `data-row`. `on` false: there are no keys. */
export function useTableKeys(
  body: RefObject<HTMLTableSectionElement | null>,
  { ids, toggle }: TableKeys,
  on = true,
): void {
  const last = useRef<string>(undefined);
  useShortcuts('Table', SHORTCUTS, on);
  useEffect(() => {
    const remember = ({ target }: FocusEvent) => {
      last.current = rowOf(body.current, target) ?? last.current;
    };
    document.addEventListener('focusin', remember);
    return () => document.removeEventListener('focusin', remember);
  }, [body]);
  const linkOf = (id: string) => body.current?.querySelector<HTMLElement>(`tr[data-id="${CSS.escape(id)}"] a[href]`);
  /** Puts the focus on a row; one that is not drawn is scrolled to first. */
  const go = (index: number) => {
    const id = ids[index];
    if (id === undefined) return;
    const link = linkOf(id);
    if (link) {
      link.focus();
      return;
    }
    const drawn = body.current?.querySelector<HTMLElement>('tr[data-row]');
    const { top = 0, height = 37 } = drawn?.getBoundingClientRect() ?? {};
    const by = top + (index - Number(drawn?.dataset['row'] ?? 0)) * height - window.innerHeight / 2;
    scrollerOf(body.current)?.scrollBy(0, by);
    last.current = id;
    // Two frames: one for the scroll event that draws the row, one to be after it.
    requestAnimationFrame(() => requestAnimationFrame(() => linkOf(id)?.focus()));
  };
  useKeyDown((event) => {
    if (!on || !isFree(event)) return;
    const inRow = rowOf(body.current, event.target);
    const index = ids.indexOf(inRow ?? last.current ?? '');
    if (event.key === 'j') go(Math.min(index + 1, ids.length - 1));
    else if (event.key === 'k') go(Math.max(index - 1, 0));
    else if (event.key === 'x' && inRow !== undefined) toggle(inRow);
    else return;
    event.preventDefault();
  });
}

/** The id of the row of this table that an element is in. */
function rowOf(body: Element | null, target: EventTarget | null): string | undefined {
  if (!(target instanceof Element) || !body?.contains(target)) return undefined;
  return target.closest<HTMLElement>('tr[data-id]')?.dataset['id'];
}

/** What scrolls the rows: the region around them, on a phone the page's main part. */
function scrollerOf(node: Element | null): Element | null {
  for (let up = node?.parentElement; up; up = up.parentElement)
    if (up.scrollHeight > up.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(up).overflowY)) return up;
  return document.scrollingElement;
}
