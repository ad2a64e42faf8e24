// The keys of a table whose rows can be selected: j and k go down and up the rows, x selects one, and ? shows the keys.
// Enter opens a row, as its link has the focus.
import { useEffect, useLayoutEffect, useRef } from 'react';
import type { RefObject } from 'react';
import { isFree } from '#/lib/free-key.ts';

interface TableKeys {
  /** Of all rows, in order, drawn or not. */
  ids: readonly string[];
  toggle: (id: string) => void;
  /** The list of keys is asked for. */
  onHelp?: () => void;
}

/** A row has its id in `data-id`; where not all are drawn, its index in `data-row`. `on` false: there are no keys. */
export function useTableKeys(
  body: RefObject<HTMLTableSectionElement | null>,
  { ids, toggle, onHelp }: TableKeys,
  on = true,
): void {
  const selects = useRef(toggle);
  const help = useRef(onHelp);
  const shown = useRef(ids);
  const last = useRef<string>(undefined);
  // Before the rows are drawn: a key that is pressed on them finds them.
  useLayoutEffect(() => {
    shown.current = ids;
    selects.current = toggle;
    help.current = onHelp;
  });
  useEffect(() => {
    if (!on) return;
    const rowOf = (target: EventTarget | null) =>
      target instanceof Element && body.current?.contains(target)
        ? (target.closest<HTMLElement>('tr[data-id]')?.dataset['id'] ?? undefined)
        : undefined;
    const remember = (event: FocusEvent) => {
      last.current = rowOf(event.target) ?? last.current;
    };
    const linkOf = (id: string) => body.current?.querySelector<HTMLElement>(`tr[data-id="${CSS.escape(id)}"] a[href]`);
    /** Puts the focus on a row; one that is not drawn is scrolled to first. */
    const go = (index: number) => {
      const id = shown.current[index];
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
    const press = (event: KeyboardEvent) => {
      if (!isFree(event)) return;
      const inRow = rowOf(event.target);
      const index = shown.current.indexOf(inRow ?? last.current ?? '');
      if (event.key === 'j') go(Math.min(index + 1, shown.current.length - 1));
      else if (event.key === 'k') go(Math.max(index - 1, 0));
      else if (event.key === 'x' && inRow !== undefined) selects.current(inRow);
      else if (event.key === '?' && help.current) help.current();
      else return;
      event.preventDefault();
    };
    document.addEventListener('focusin', remember);
    document.addEventListener('keydown', press);
    return () => {
      document.removeEventListener('focusin', remember);
      document.removeEventListener('keydown', press);
    };
  }, [body, on]);
}

/** What scrolls the rows: the region around them, on a phone the page's main part. */
function scrollerOf(node: Element | null): Element | null {
  for (let up = node?.parentElement; up; up = up.parentElement)
    if (up.scrollHeight > up.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(up).overflowY)) return up;
  return document.scrollingElement;
}
