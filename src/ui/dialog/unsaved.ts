// What a reload would lose without a question: asked before the page loads itself again.

let guards = 0;

/** Counts as something to lose until the returned function is called. */
export function holdUnsaved(): () => void {
  guards += 1;
  return () => {
    guards -= 1;
  };
}

/** Whether a dialog is open: it may hold what somebody has typed, or a secret that is shown once. */
export const isDialogOpen = (): boolean =>
  [...document.querySelectorAll('[role="dialog"], [role="alertdialog"]')].some((node) => node.checkVisibility());

export const hasUnsaved = (): boolean => guards > 0 || isDialogOpen();
