// Returns the focus to what opened a dialog. Mantine does so only for dialogs that are mounted while closed, and ours are
// mounted only while the URL names them.
import { useEffect } from 'react';

interface Opener {
  element: Element | null;
  /** How many open dialogs return the focus to it. */
  dialogs: number;
}

/** The opener of the last dialog, until the focus is back. */
let last: Opener | undefined;

const isLost = (element: Element | null): boolean => element === null || element === document.body;

/** The focused element, or the menu button of a focused menu item, which disappears with its menu. */
function focused(): Element | null {
  const element = document.activeElement;
  const menu = element?.closest('[role="menu"]');
  return menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : element;
}

/** Focuses the element; if it is gone or disabled, or as soon as its row is removed, the page. */
function returnFocus(to: Element | null): void {
  // The opener may have been gone from the start: a menu closes as its dialog opens.
  if (isLost(to)) return focusPage();
  if (to instanceof HTMLElement && to.isConnected) to.focus();
  if (document.activeElement !== to) return focusPage();
  const removal = new MutationObserver(() => {
    if (document.activeElement === to) return;
    removal.disconnect();
    if (!to?.isConnected && isFocusLost()) focusPage();
  });
  removal.observe(document.body, { childList: true, subtree: true });
}

/** Leaves the focus alone if something else has it when the dialog closes. */
export function useFocusBack(opened: boolean): void {
  useEffect(() => {
    if (!opened) return;
    const element = focused();
    // A dialog that replaced another returns the focus to what opened the first.
    const opener = isLost(element) && last ? last : { element, dialogs: 0 };
    opener.dialogs += 1;
    last = opener;
    return () => {
      opener.dialogs -= 1;
      setTimeout(() => {
        if (opener.dialogs > 0) return;
        if (last === opener) last = undefined;
        const to = opener.element;
        if (isFocusLost()) returnFocus(to);
      });
    };
  }, [opened]);
}

/** Focuses the page itself, for when the row that had opened a dialog has just been deleted. */
export const focusPage = (): void => document.getElementById('main')?.focus({ preventScroll: true });

/** A ref for an element that replaces the focused one. */
export const focusOnMount = (node: HTMLElement | null): void => node?.focus();

/** Whether the element that had the focus is gone, so that its replacement may take it. */
export const isFocusLost = (): boolean => document.activeElement === document.body || document.activeElement === null;
