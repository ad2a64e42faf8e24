// Passwords: hashed with argon2id, by Node itself, and stored in the PHC string format. The parameters are those that OWASP
// recommends in its Password Storage Cheat Sheet. A hash needs 19 MiB for a while, so that few are computed at a time: a flood
// of sign-ins waits, and what is too much of it is refused.
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import PQueue from 'p-queue';
import { MIN_PASSWORD_LENGTH } from '#/contract/people.ts';
import { Unavailable } from '../store/errors.ts';
import type { FieldError } from '../store/errors.ts';
import { fold } from '#/contract/fold.ts';

const MEMORY_KIB = 19_456;
const PASSES = 2;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Most hashes that are computed at a time. */
const AT_ONCE = 2;
/** Most that wait for their turn: about ten seconds of work. */
const MOST_WAITING = 50;

const queue = new PQueue({ concurrency: AT_ONCE });

interface Cost {
  memory: number;
  passes: number;
  parallelism: number;
}

function compute(password: string, nonce: Buffer, tagLength: number, cost: Cost): Promise<Buffer> {
  if (queue.size >= MOST_WAITING)
    throw new Unavailable(
      'Too many people are signing in',
      'Checking passwords takes a moment. Try again, or sign in with a link or a token.',
      { retryAfterSeconds: 10 },
    );
  // The same letters may be typed in several forms (NIST SP 800-63B, section 3.1.1.2).
  const message = password.normalize('NFKC');
  return queue.add(
    () =>
      new Promise<Buffer>((resolve, reject) =>
        argon2('argon2id', { message, nonce, tagLength, ...cost }, (cause, hash) =>
          cause ? reject(cause) : resolve(hash),
        ),
      ),
  );
}

const bare = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');

/** The stored form of a password: `$argon2id$v=19$m=…,t=…,p=…$<salt>$<hash>`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const cost = { memory: MEMORY_KIB, passes: PASSES, parallelism: 1 };
  const hash = await compute(password, salt, HASH_BYTES, cost);
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=1$${bare(salt)}$${bare(hash)}`;
}

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;

/** The hash of a random password that nobody has. */
const NOBODYS = '$argon2id$v=19$m=19456,t=2,p=1$foCg0oYZHAkhhdJrf9gNDg$HI6hadFpA4mF11tgiv56dLJ4Gplrptx0OD05xH0SS/Y';

/**
 * Whether this is the password with that hash. Without a hash it is not, after the same work: nobody can tell by the time
 * whether an address is known.
 */
export async function isPassword(password: string, stored: string): Promise<boolean> {
  const [, memory, passes, parallelism, salt = '', hash = ''] = PHC.exec(stored || NOBODYS) ?? [];
  if (memory === undefined) throw new TypeError('A stored password has an unknown form');
  const expected = Buffer.from(hash, 'base64');
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  const computed = await compute(password, Buffer.from(salt, 'base64'), expected.length, cost);
  return timingSafeEqual(computed, expected) && stored !== '';
}

let common: ReadonlySet<string> | undefined;
/** Read by the first use: few starts of a service see a new password. */
const commonPasswords = () =>
  (common ??= new Set(
    readFileSync(path.join(import.meta.dirname, 'common-passwords.txt'), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#')),
  ));

/** Why this cannot be the password of a person with that address; undefined if it can. */
export function passwordFault(password: string, email: string, field: string): FieldError | undefined {
  const lower = password.normalize('NFKC').toLowerCase();
  if (lower.length < MIN_PASSWORD_LENGTH)
    return { field, message: `must have at least ${MIN_PASSWORD_LENGTH} characters` };
  if (commonPasswords().has(lower))
    return { field, message: 'is one of the most common ones: whoever guesses tries these first' };
  if (new Set(lower).size === 1) return { field, message: 'is one character that repeats' };
  if (fold(password.trim()) === fold(email)) return { field, message: 'must not be the e-mail address' };
  return undefined;
}
