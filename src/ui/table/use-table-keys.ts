// The keys of a table with selectable rows: j and k, or the arrows from within a row, move down and up, x selects. Enter opens a row, because its link has the
// focus.
import { useEffect, useRef, type RefObject } from 'react';
import { isFree } from '#/lib/free-key.ts';
import { useShortcuts, type Shortcut } from '#/ui/controls/shortcuts.ts';
import { useKeyDown } from '#/ui/controls/use-key-down.ts';

interface TableKeys {
  /** The ids of all rows in order, rendered or not. */
  ids: readonly string[];
  toggle: (id: string) => void;
}

const SHORTCUTS: readonly Shortcut[] = [
  [['j'], 'Next row'],
  [['k'], 'Previous row'],
  [['↓'], 'Next row, from a row'],
  [['↑'], 'Previous row, from a row'],
  [['Enter'], 'Open the row'],
  [['x'], 'Select or clear the row'],
  [['Shift', 'click'], 'Select a range'],
];

/** Rows must have their id in `data-id` and, if not all are rendered, their index in `data-row`. */
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
  /** Focuses a row; one that is not rendered is scrolled into view first. */
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
    // Two frames: the row is rendered after the scroll event of the first.
    requestAnimationFrame(() => requestAnimationFrame(() => linkOf(id)?.focus()));
  };
  useKeyDown((event) => {
    if (!on || !isFree(event)) return;
    const inRow = rowOf(body.current, event.target);
    const index = ids.indexOf(inRow ?? last.current ?? '');
    const isArrow = inRow !== undefined && !(event.target instanceof HTMLInputElement) && !isOpener(event.target);
    if (event.key === 'j' || (event.key === 'ArrowDown' && isArrow)) go(Math.min(index + 1, ids.length - 1));
    else if (event.key === 'k' || (event.key === 'ArrowUp' && isArrow)) go(Math.max(index - 1, 0));
    else if (event.key === 'x' && inRow !== undefined) toggle(inRow);
    else return;
    event.preventDefault();
  });
}

/** The arrow keys open the menu of a row. */
const isOpener = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('[aria-haspopup]') !== null;

/** The id of the row that an element is in. */
function rowOf(body: Element | null, target: EventTarget | null): string | undefined {
  if (!(target instanceof Element) || !body?.contains(target)) return undefined;
  return target.closest<HTMLElement>('tr[data-id]')?.dataset['id'];
}

/** The element that scrolls the rows: the region around them or, on a phone, the main part of the page. */
function scrollerOf(node: Element | null): Element | null {
  for (let up = node?.parentElement; up; up = up.parentElement)
    if (up.scrollHeight > up.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(up).overflowY)) return up;
  return document.scrollingElement;
}
