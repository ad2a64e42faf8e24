// The head of a table as one stop of the Tab key. Arrow keys go from one heading to the next, as in a toolbar, and down to
// the edge of a column, where they change its width.
import { useEffect, useRef, type RefObject } from 'react';
import { useShortcuts, type Shortcut } from '#/ui/controls/shortcuts.ts';

const SHORTCUTS: readonly Shortcut[] = [
  [['←', '→'], 'Next heading'],
  [['Enter'], 'Sort by the column'],
];
const WIDTH_SHORTCUTS: readonly Shortcut[] = [
  ...SHORTCUTS,
  [['↓'], 'To the width of the column'],
  [['←', '→'], 'Make the column narrower or wider'],
  [['↑'], 'Back to its heading'],
];

const HEADINGS = 'button, input';
const WIDTH = '[role="slider"]';
const KEYS = ['ArrowLeft', 'ArrowRight', 'ArrowDown', 'ArrowUp', 'Home', 'End'];

interface HeadKeys {
  /** Whether there is anything to go to. */
  on: boolean;
  hasWidths: boolean;
  /** With other columns there are other headings. */
  columns: readonly unknown[];
}

export function useHeadKeys(
  head: RefObject<HTMLTableSectionElement | null>,
  { on, hasWidths, columns }: HeadKeys,
): void {
  useShortcuts('Head of the table', hasWidths ? WIDTH_SHORTCUTS : SHORTCUTS, on);
  const stop = useRef<Element>(undefined);
  useEffect(() => {
    const section = head.current;
    if (!on || !section) return;
    // Those of columns that have no room are not drawn.
    const drawn = () => [...section.querySelectorAll<HTMLElement>(HEADINGS)].filter((each) => each.checkVisibility());
    const arrange = () => {
      const all = drawn();
      const only = all.find((each) => each === stop.current) ?? all[0];
      for (const each of all) each.tabIndex = each === only ? 0 : -1;
    };
    const onFocus = ({ target }: FocusEvent) => {
      if (!(target instanceof Element) || !target.matches(HEADINGS)) return;
      stop.current = target;
      arrange();
    };
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, target } = event;
      if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      if (!KEYS.includes(key) || !(target instanceof HTMLElement)) return;
      const goTo = targetOf(target, key, drawn());
      if (!goTo) return;
      event.preventDefault();
      goTo.focus();
    };
    arrange();
    const resized = new ResizeObserver(arrange);
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
