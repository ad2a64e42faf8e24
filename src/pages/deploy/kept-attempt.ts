// An order that is on its way is kept in this tab until it is answered: after a reload or a lost answer it is looked for
// among the jobs before anything is sent again, and then it is the same order, under the same key.
import { onSession } from '#/api/session.ts';
import type { Attempt } from './attempt.ts';

const NAME = 'muster-deploy';
/** For a browser that stores nothing; until the page is reloaded. */
let here: Attempt | undefined;

export function keepAttempt(attempt: Attempt): void {
  here = attempt;
  try {
    sessionStorage.setItem(NAME, JSON.stringify(attempt));
  } catch {
    // Full or forbidden: a reload in the next second is not looked after.
  }
}

export function forgetAttempt(): void {
  here = undefined;
  try {
    sessionStorage.removeItem(NAME);
  } catch {
    // Nothing was stored.
  }
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isAttempt = (value: unknown): value is Attempt =>
  typeof value === 'object' &&
  value !== null &&
  'key' in value &&
  isText(value.key) &&
  'label' in value &&
  isText(value.label) &&
  'what' in value &&
  typeof value.what === 'object' &&
  'target' in value &&
  typeof value.target === 'object' &&
  'before' in value &&
  Array.isArray(value.before);

/** The one that was never answered. */
export function attemptLeft(): Attempt | undefined {
  if (here) return here;
  try {
    const read: unknown = JSON.parse(sessionStorage.getItem(NAME) ?? 'null');
    return isAttempt(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

onSession((event) => {
  if (event === 'out') forgetAttempt();
});
