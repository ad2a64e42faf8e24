// Which rows of a long table are in sight, so that only these are drawn. All rows are of one height; whatever scrolls
// them, the page itself on a phone, is of no concern.
import { useSyncExternalStore } from 'react';
import type { RefObject } from 'react';
import { windowOf } from './row-window.ts';
import type { RowWindow } from './row-window.ts';

/** Before anything was measured, in pixels. */
const ROW = 37;
const SIGHT = 900;

function subscribe(look: () => void) {
  // A scroll does not bubble, but can be caught on its way down.
  document.addEventListener('scroll', look, { capture: true, passive: true });
  window.addEventListener('resize', look);
  return () => {
    document.removeEventListener('scroll', look, { capture: true });
    window.removeEventListener('resize', look);
  };
}

export function useRowWindow(
  body: RefObject<HTMLTableSectionElement | null>,
  count: number,
): RowWindow & { height: number } {
  // What is measured is the state itself; as text, so that the same is equal.
  const measure = () => {
    const node = body.current;
    const height = node?.querySelector('tr[data-row]')?.getBoundingClientRect().height || ROW;
    const top = node ? -node.getBoundingClientRect().top : 0;
    const { from, to } = windowOf({ count, height, top, sight: node ? window.innerHeight : SIGHT });
    return `${from} ${to} ${height}`;
  };
  const [from = 0, to = 0, height = ROW] = useSyncExternalStore(subscribe, measure).split(' ').map(Number);
  return { from, to, height };
}
