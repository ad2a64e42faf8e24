// The second factor of people: its secret is sealed, each code counts once, and guessing is slow.
import type { SignInNeeds } from '#/contract/sign-in.ts';
import { Problem } from '../http/problem.ts';
import type { Tx } from '../store/database.ts';
import { recordOtpStep, setRecoveryHashes, setSecondFactor } from '../store/people.ts';
import type { PersonRow } from '../store/people.ts';
import { personKey } from '../store/person-key.ts';
import { openSeal } from '../store/seal.ts';
import { isOtp, matchOtp, newOtpSecret, newRecoveryCodes, recoveryHash } from './otp.ts';
import { waitFor } from './password-checks.ts';
import { openSigninLimit } from './signin-limit.ts';

/** A code has only a million values, three of which are right at a time. */
const TRIES_PER_HOUR = 10;
const HOUR = 3_600_000;
/** How long a setup that was begun can be confirmed. */
const SETUP_VALID_MS = 600_000;

const secrets = openSeal('muster second factor');
const setups = openSeal('muster second factor setup');

const member = (needs: SignInNeeds) => ({ members: { Needs: needs } });
export const otpMissing = (): Problem =>
  new Problem(401, 'The code is missing', 'Send the code that your authenticator app shows, too.', member('Otp'));
export const otpWrong = (): Problem =>
  new Problem(
    401,
    'The code is not valid',
    'A code works once, for half a minute. Wait for the next one, check the clock of the phone, or use a recovery code.',
    member('Otp'),
  );

export interface SecondFactor {
  /**
   * To call before `take`: waits if this person's codes are guessed, or throws a 429. Call what it returns when the code was
   * right. Recovery codes cannot be guessed and never wait.
   */
  attempt(person: PersonRow, code: string): Promise<() => void>;
}

export function openSecondFactor(steady: () => number): SecondFactor {
  const tries = openSigninLimit(TRIES_PER_HOUR, steady, HOUR);
  return {
    attempt: async (person, code) => (isOtp(code) ? waitFor(tries.attempt(person.id)) : () => {}),
  };
}

export interface Taken {
  /** How many recovery codes are left, if this was one. */
  recoveryCodes?: number;
}

/** Uses a code up; undefined if it is wrong, or was used before. */
export async function takeCode(
  tx: Tx,
  { id, otp_secret: sealed, otp_step: used, recovery_json }: PersonRow,
  code: string,
  now: number,
): Promise<Taken | undefined> {
  if (!sealed) return {};
  if (isOtp(code)) {
    const secret = secrets.open(await personKey(tx), id, sealed);
    const step = secret === undefined ? undefined : matchOtp(secret, code, { now, used });
    if (step === undefined) return undefined;
    await recordOtpStep(tx, id, step);
    return {};
  }
  const hashes = JSON.parse(recovery_json) as string[];
  const left = hashes.filter((hash) => hash !== recoveryHash(code));
  if (left.length === hashes.length) return undefined;
  await setRecoveryHashes(tx, id, left);
  return { recoveryCodes: left.length };
}

/** A secret that is not in force yet, sealed for the browser that asked for it: `confirmSetup` takes it back. */
export async function beginSetup(tx: Tx, personId: string, now: number): Promise<{ secret: string; setup: string }> {
  const secret = newOtpSecret();
  const text = JSON.stringify({ secret, expires: now + SETUP_VALID_MS });
  const setup = setups.seal(await personKey(tx), personId, text).toString('base64url');
  return { secret, setup };
}

/** Puts a secret into force whose code was typed, and returns recovery codes; otherwise says what is wrong. */
export async function confirmSetup(
  tx: Tx,
  personId: string,
  { setup, code, now }: { setup: string; code: string; now: number },
): Promise<string[] | 'expired' | 'wrong'> {
  const key = await personKey(tx);
  const opened = setups.open(key, personId, Buffer.from(setup, 'base64url'));
  const { secret, expires } = JSON.parse(opened ?? '{"secret":"","expires":0}') as { secret: string; expires: number };
  if (now >= expires) return 'expired';
  const step = matchOtp(secret, code, { now, used: 0 });
  if (step === undefined) return 'wrong';
  const codes = newRecoveryCodes();
  await setSecondFactor(tx, personId, secrets.seal(key, personId, secret), codes.map(recoveryHash));
  await recordOtpStep(tx, personId, step);
  return codes;
}
