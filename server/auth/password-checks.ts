// Checks passwords. Known and unknown addresses get the same answer after the same work, and guessing is slow: by address
// of the client, and by person. Whoever guesses can make the owner's sign-in by password slow too, but links and tokens are
// always checked at once.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { Problem } from '../http/problem.ts';
import { fold } from '#/contract/fold.ts';
import { personByEmail } from '../store/people.ts';
import type { PersonRow } from '../store/people.ts';
import { isPassword } from './passwords.ts';
import { openSigninLimit } from './signin-limit.ts';
import type { Attempt } from './signin-limit.ts';

export interface PasswordChecks {
  /** The person with this address and password, if there is one who may sign in; a 429 if too many guess. */
  check(email: string, password: string, address: string): Promise<PersonRow | undefined>;
}

export function openPasswordChecks({ db, config, clock }: Pick<Context, 'db' | 'config' | 'clock'>): PasswordChecks {
  const byAddress = openSigninLimit(config.signinLimit, clock.steady);
  const byPerson = openSigninLimit(config.signinLimit, clock.steady);
  return {
    check: async (email, password, address) => {
      // Counted under what was typed, whether somebody has that address or not.
      const right = await waitFor(byAddress.attempt(address), byPerson.attempt(fold(email.trim())));
      const person = await personByEmail(db, email);
      const mayEnter = person?.state === 'Active' && person.source === 'password';
      const isRight = await isPassword(password, mayEnter ? person.password : '');
      if (!isRight) return undefined;
      right();
      return person;
    },
  };
}

/** Waits until all of these attempts may be checked; call what it returns when they were right. */
export async function waitFor(...attempts: (Attempt | undefined)[]): Promise<() => void> {
  const open = attempts.filter((attempt) => attempt !== undefined);
  if (open.length < attempts.length)
    throw new Problem(
      429,
      'Too many wrong attempts',
      'Somebody tried many times just now. Wait a minute, or sign in with a link or a token: those always work.',
      { headers: { 'Retry-After': '60' } },
    );
  const pause = Math.max(...open.map((attempt) => attempt.pause));
  if (pause > 0) await sleep(pause, undefined, { ref: false });
  return () => {
    for (const attempt of open) attempt.right();
  };
}
