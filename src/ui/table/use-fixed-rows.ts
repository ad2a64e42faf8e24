// Which rows of a long table to render if all have the same height: those in view, and the focused one, or the focus would be
// lost. It works with any scrolling element; on a phone that is the page itself.
import { useState, useSyncExternalStore, type FocusEvent, type RefObject } from 'react';
import type { DrawnRows } from './table.tsx';

/** Up to this many rows, rendering all of them is fast enough. */
const ALL_AT_ONCE = 120;
/** The height of a row in pixels, before it is measured. */
const ROW = 37;
/** How many rows to render beyond the view, and by how many the window moves. */
const MARGIN = 6;
const STEP = 6;

interface RowWindow {
  from: number;
  /** One past the last row. */
  to: number;
}

interface Measures {
  /** The height of one row. */
  height: number;
  /** How far the rows are scrolled past the top of the view, and the height of the view. */
  top: number;
  viewHeight: number;
}

/** `measure` forces a layout, so it is called only if the answer depends on it. */
export function windowOf(count: number, measure: () => Measures): RowWindow & { height: number } {
  if (count <= ALL_AT_ONCE) return { from: 0, to: count, height: ROW };
  const { height, top, viewHeight } = measure();
  const first = Math.floor(top / height / STEP) * STEP - MARGIN;
  const length = Math.ceil(viewHeight / height / STEP) * STEP + STEP + 2 * MARGIN;
  const from = Math.max(0, Math.min(first, count - length));
  return { from, to: Math.min(count, Math.max(0, from) + length), height };
}

/** The height of the view in pixels, before it is measured. */
const VIEW = 900;

function subscribe(onChange: () => void) {
  // Scroll events do not bubble, but they can be captured.
  document.addEventListener('scroll', onChange, { capture: true, passive: true });
  window.addEventListener('resize', onChange);
  return () => {
    document.removeEventListener('scroll', onChange, { capture: true });
    window.removeEventListener('resize', onChange);
  };
}

const idOf = (target: EventTarget) =>
  target instanceof Element ? target.closest<HTMLElement>('tr[data-id]')?.dataset['id'] : undefined;

/** `focus`: props for the element that contains the rows. */
export function useFixedRows(body: RefObject<HTMLTableSectionElement | null>, ids: readonly string[]) {
  const [focused, setFocused] = useState<string>();
  const count = ids.length;
  // The measured window is the snapshot itself, as text so that equal ones compare as equal.
  const measure = () => {
    const { from, to, height } = windowOf(count, () => {
      const node = body.current;
      return {
        height: node?.querySelector('tr[data-row]')?.getBoundingClientRect().height || ROW,
        top: node ? -node.getBoundingClientRect().top : 0,
        viewHeight: node ? window.innerHeight : VIEW,
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
        // If the window itself lost the focus, the element keeps it.
        if (!currentTarget.contains(relatedTarget) && !currentTarget.contains(document.activeElement))
          setFocused(undefined);
      },
    },
  };
}
