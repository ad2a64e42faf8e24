// Gives the focus back to what opened a dialog. Mantine only does so for dialogs that are on the page while closed, and
// ours are there only while the URL names them.
import { useEffect } from 'react';

/** The focused element; for an item of a menu, which goes away with it, the button of the menu. */
function opener(): Element | null {
  const focused = document.activeElement;
  const menu = focused?.closest('[role="menu"]');
  return menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : focused;
}

/** `open`: whether a dialog is open. Where the focus has gone elsewhere when it closes, it stays there. */
export function useFocusBack(open: boolean): void {
  useEffect(() => {
    if (!open) return;
    const from = opener();
    return () => {
      setTimeout(() => {
        const lost = document.activeElement === null || document.activeElement === document.body;
        if (lost && from instanceof HTMLElement && from.isConnected) from.focus();
      });
    };
  }, [open]);
}

/** The page itself takes the focus: for when the row that a dialog would go back to has just been deleted. */
export const focusPage = (): void => document.getElementById('main')?.focus({ preventScroll: true });
