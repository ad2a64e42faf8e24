// Whether a reload would lose something, for the browser's question and for reloads by the page itself.
import { useEffect } from 'react';

let guards = 0;

/** While active, the browser asks before the window is closed or reloaded. */
export function useUnsaved(active: boolean): void {
  useEffect(() => {
    if (!active) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    guards += 1;
    return () => {
      guards -= 1;
      window.removeEventListener('beforeunload', warn);
    };
  }, [active]);
}

/** Whether a dialog is open: it may hold typed text, or a secret that is shown once. */
export const isDialogOpen = (): boolean =>
  [...document.querySelectorAll('[role="dialog"], [role="alertdialog"]')].some((node) => node.checkVisibility());

export const hasUnsaved = (): boolean => guards > 0 || isDialogOpen();
