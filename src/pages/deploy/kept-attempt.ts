// A submission that is on its way is stored in this tab until it is answered: after a reload or a lost answer it is looked
// for among the jobs before anything is sent again, and then it is the same one, under the same key.
import { onSession } from '#/api/session.ts';
import { storedInTab } from '#/lib/stored.ts';
import type { Attempt } from './attempt.ts';

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

const left = storedInTab<Attempt | undefined>('muster-deploy', undefined, {
  read: (text) => {
    const attempt: unknown = JSON.parse(text);
    return isAttempt(attempt) ? attempt : undefined;
  },
  print: (attempt) => JSON.stringify(attempt),
});

export const keepAttempt = (attempt: Attempt): void => void left.set(attempt);
export const forgetAttempt = (): void => void left.set(undefined);
/** The one that was never answered. */
export const attemptLeft = left.get;

onSession((event) => {
  if (event === 'out') forgetAttempt();
});
