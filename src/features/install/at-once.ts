// Clicking "Add this machine" in an account without devices adds it at once, without a form. Opening the URL never does: a
// link or a reload must not create anything.

/** Milliseconds within which the dialog must open after the click. */
const VALID = 10_000;

let pressed = Number.NEGATIVE_INFINITY;

export function addAtOnce(): void {
  pressed = performance.now();
}

export const isToAddAtOnce = (): boolean => performance.now() - pressed < VALID;

export function forgetPress(): void {
  pressed = Number.NEGATIVE_INFINITY;
}
