// Makes the head of a table a single tab stop. Arrow keys move between headings, as in a toolbar, and down to the edge of a
// column, where they change its width.
import { useEffect, useRef, type RefObject } from 'react';
import { useShortcuts, type Shortcut } from '#/ui/controls/shortcuts.ts';

const SHORTCUTS: readonly Shortcut[] = [
  [['←', '→'], 'Next heading'],
  [['Enter'], 'Sort by the column'],
];
const WIDTH_SHORTCUTS: readonly Shortcut[] = [
  ...SHORTCUTS,
  [['↓'], 'Go to the width of the column'],
  [['←', '→'], 'Make the column narrower or wider'],
  [['↑'], 'Go back to its heading'],
];

const HEADINGS = 'button, input';
const WIDTH = '[role="slider"]';
const KEYS = ['ArrowLeft', 'ArrowRight', 'ArrowDown', 'ArrowUp', 'Home', 'End'];

interface HeadKeys {
  /** Whether there are headings to focus. */
  on: boolean;
  hasWidths: boolean;
  /** Changes along with the headings. */
  columns: readonly unknown[];
}

export function useHeadKeys(
  head: RefObject<HTMLTableSectionElement | null>,
  { on, hasWidths, columns }: HeadKeys,
): void {
  useShortcuts('Table headings', hasWidths ? WIDTH_SHORTCUTS : SHORTCUTS, on);
  const stop = useRef<Element>(undefined);
  useEffect(() => {
    const section = head.current;
    if (!on || !section) return;
    // Columns without room are hidden.
    const visible = () => [...section.querySelectorAll<HTMLElement>(HEADINGS)].filter((each) => each.checkVisibility());
    const setTabStop = () => {
      const all = visible();
      const stopNow = all.find((each) => each === stop.current) ?? all[0];
      for (const each of all) each.tabIndex = each === stopNow ? 0 : -1;
    };
    const onFocus = ({ target }: FocusEvent) => {
      if (!(target instanceof Element) || !target.matches(HEADINGS)) return;
      stop.current = target;
      setTabStop();
    };
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, target } = event;
      if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      if (!KEYS.includes(key) || !(target instanceof HTMLElement)) return;
      const goTo = targetOf(target, key, visible());
      if (!goTo) return;
      event.preventDefault();
      goTo.focus();
    };
    setTabStop();
    const resized = new ResizeObserver(setTabStop);
    resized.observe(section);
    section.addEventListener('focusin', onFocus);
    section.addEventListener('keydown', onKeyDown);
    return () => {
      resized.disconnect();
      section.removeEventListener('focusin', onFocus);
      section.removeEventListener('keydown', onKeyDown);
    };
  }, [head, on, columns]);
}

function targetOf(from: HTMLElement, key: string, headings: readonly HTMLElement[]): HTMLElement | null | undefined {
  const cell = from.closest('th');
  if (from.matches(WIDTH)) return key === 'ArrowUp' ? cell?.querySelector<HTMLElement>(HEADINGS) : undefined;
  const at = headings.indexOf(from);
  switch (key) {
    case 'ArrowLeft':
      return headings[at - 1];
    case 'ArrowRight':
      return headings[at + 1];
    case 'Home':
      return headings[0];
    case 'End':
      return headings.at(-1);
    case 'ArrowDown':
      return cell?.querySelector<HTMLElement>(WIDTH);
    default:
      return undefined;
  }
}
