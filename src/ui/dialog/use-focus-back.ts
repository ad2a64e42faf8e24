// Gives the focus back to what opened a dialog. Mantine only does so for dialogs that are on the page while closed, and
// ours are there only while the URL names them.
import { useEffect } from 'react';

interface Opener {
  element: Element | null;
  /** How many open dialogs go back to it. */
  dialogs: number;
}

/** Of the dialog that opened last, until the focus is back. */
let last: Opener | undefined;

const isLost = (element: Element | null): boolean => element === null || element === document.body;

/** The focused element; for an item of a menu, which goes away with it, the button of the menu. */
function focused(): Element | null {
  const element = document.activeElement;
  const menu = element?.closest('[role="menu"]');
  return menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : element;
}

/** To the element, or to the page where it is gone or disabled: now, or as soon as its row is removed. */
function giveBack(to: Element | null): void {
  // What opened it may have been gone already when it was noted: a menu closes as its dialog opens.
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

/** Where the focus has gone elsewhere when the dialog closes, it stays there. */
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
        if (isFocusLost()) giveBack(to);
      });
    };
  }, [opened]);
}

/** The page itself takes the focus: for when the row that a dialog would go back to has just been deleted. */
export const focusPage = (): void => document.getElementById('main')?.focus({ preventScroll: true });

/** As a ref: what appears takes the focus, because what it replaces had it. */
export const focusOnMount = (node: HTMLElement | null): void => node?.focus();

/** Whether what had the focus is gone, so that its successor may take it; the focus elsewhere is left alone. */
export const isFocusLost = (): boolean => document.activeElement === document.body || document.activeElement === null;
