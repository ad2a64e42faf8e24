// Which rows of a long table are drawn where all are of one height: those in view, and the one that has the focus, which
// would be lost with it. What scrolls them does not matter: on a phone it is the page itself.
import { useState, useSyncExternalStore, type FocusEvent, type RefObject } from 'react';
import type { DrawnRows } from './table.tsx';

/** Up to here a browser draws all rows at once without anyone noticing. */
const ALL_AT_ONCE = 120;
/** The height of a row before anything was measured, in pixels. */
const ROW = 37;
/** Rows drawn beyond those in view, and the steps in which the window moves. */
const MARGIN = 6;
const STEP = 6;

interface RowWindow {
  from: number;
  /** One past the last. */
  to: number;
}

interface Sight {
  /** Of one row. */
  height: number;
  /** How far the rows are scrolled beyond the upper edge of what can be seen, which is `sight` high. */
  top: number;
  sight: number;
}

/** `look` makes the browser lay the page out, and is only called where the answer depends on it. */
export function windowOf(count: number, look: () => Sight): RowWindow & { height: number } {
  if (count <= ALL_AT_ONCE) return { from: 0, to: count, height: ROW };
  const { height, top, sight } = look();
  const first = Math.floor(top / height / STEP) * STEP - MARGIN;
  const length = Math.ceil(sight / height / STEP) * STEP + STEP + 2 * MARGIN;
  const from = Math.max(0, Math.min(first, count - length));
  return { from, to: Math.min(count, Math.max(0, from) + length), height };
}

/** Before anything was measured, in pixels. */
const VIEW = 900;

function subscribe(look: () => void) {
  // A scroll does not bubble, but can be caught on its way down.
  document.addEventListener('scroll', look, { capture: true, passive: true });
  window.addEventListener('resize', look);
  return () => {
    document.removeEventListener('scroll', look, { capture: true });
    window.removeEventListener('resize', look);
  };
}

const idOf = (target: EventTarget) =>
  target instanceof Element ? target.closest<HTMLElement>('tr[data-id]')?.dataset['id'] : undefined;

/** `focus`: of the element of the rows. */
export function useFixedRows(body: RefObject<HTMLTableSectionElement | null>, ids: readonly string[]) {
  const [focused, setFocused] = useState<string>();
  const count = ids.length;
  // What is measured is the state itself; as text, so that the same is equal.
  const measure = () => {
    const { from, to, height } = windowOf(count, () => {
      const node = body.current;
      return {
        height: node?.querySelector('tr[data-row]')?.getBoundingClientRect().height || ROW,
        top: node ? -node.getBoundingClientRect().top : 0,
        sight: node ? window.innerHeight : VIEW,
      };
    });
    return `${from} ${to} ${height}`;
  };
  const [from = 0, to = 0, height = ROW] = useSyncExternalStore(subscribe, measure).split(' ').map(Number);
  const inView = Array.from({ length: to - from }, (_, step) => from + step);
  const pinned = focused === undefined || ids.slice(from, to).includes(focused) ? -1 : ids.indexOf(focused);
  const indexes = pinned < 0 ? inView : pinned < from ? [pinned, ...inView] : [...inView, pinned];
  const drawn: DrawnRows = {
    rows: indexes.map((index, nth) => ({ index, gap: (index - (indexes[nth - 1] ?? -1) - 1) * height })),
    after: (count - 1 - (indexes.at(-1) ?? -1)) * height,
  };
  return {
    drawn,
    focus: {
      onFocus: ({ target }: FocusEvent) => setFocused(idOf(target)),
      onBlur: ({ currentTarget, relatedTarget }: FocusEvent) => {
        // Where only the window lost it, the element still has it.
        if (!currentTarget.contains(relatedTarget) && !currentTarget.contains(document.activeElement))
          setFocused(undefined);
      },
    },
  };
}
