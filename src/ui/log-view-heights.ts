// How high each row of a log is, told from its length: measuring a hundred thousand wrapped rows would freeze the page.
import { useLayoutEffect, useState } from 'react';
import type { RefObject } from 'react';
import type { LogBlock } from './log-view-items.ts';
import { screenLines } from './log-view-lines.ts';

/** As the style sheet has them: without wrapping nothing needs to be measured. */
const ROW_HEIGHT = 19;
const NAME_HEIGHT = 28;
const TEXT_PADDING = 16;

/** The height of what stands at a place of the list, in pixels. */
export function heightAt(blocks: LogBlock[], place: number, columns: number): number {
  for (const { start, items, heading, skipped, index } of blocks) {
    if (place >= start + items) continue;
    if (heading && place === start) return NAME_HEIGHT;
    return ROW_HEIGHT * screenLines(index, place - start - (heading ? 1 : 0) + skipped, columns);
  }
  return ROW_HEIGHT;
}

/** How many letters fit beside the gutter while lines wrap; 0 while they don't, and before it is known. */
export function useColumns(
  scroller: RefObject<HTMLElement | null>,
  { wrap, numbers }: { wrap: boolean; numbers: boolean },
  lines: number,
): number {
  const [columns, setColumns] = useState(0);
  const empty = lines === 0;
  useLayoutEffect(() => {
    const box = scroller.current;
    const ruler = box?.querySelector('[data-ruler]');
    if (!wrap || !box || !ruler) return;
    const observer = new ResizeObserver(() => {
      const text = box.querySelector('[data-text]');
      const { width } = ruler.getBoundingClientRect();
      if (text && width > 0) setColumns(Math.max(8, Math.floor((text.clientWidth - TEXT_PADDING) / (width / 100))));
    });
    // The ruler changes when the font arrives.
    for (const element of [box, ruler]) observer.observe(element);
    return () => observer.disconnect();
  }, [scroller, wrap, numbers, empty]);
  return wrap ? columns : 0;
}
