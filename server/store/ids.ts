// Random names and secrets. Ids are short because people read them; secrets are long because nobody has to.
import { hash, randomFillSync } from 'node:crypto';

// 32 signs, so that a byte chooses without bias; of those that look alike (0/o, 1/i/l, u/v) one each.
const SIGNS = '0123456789abcdefghjkmnpqrstvwxyz';

// Random bytes, fetched many at a time: asking for twelve costs as much as asking for four thousand.
const pool = Buffer.alloc(4096);
let used = pool.length;

/** Good until the next call. */
function fresh(length: number): Buffer {
  if (used + length > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return pool.subarray(used, (used += length));
}

/**
 * A new id of lower-case letters and digits, five random bits each: 16 of them are 80 bits, so that nobody finds one by
 * trying. Ids of earlier versions had 12 and go on; nothing may depend on the length.
 */
export function newId(length = 16): string {
  let id = '';
  for (const byte of fresh(length)) id += SIGNS[byte & 31];
  return id;
}

/** A new secret of 256 random bits; the prefix says what it opens and keeps it from starting with a dash. */
export function newSecret(prefix: string): string {
  const bytes = fresh(32);
  const secret = `${prefix}_${bytes.toString('base64url')}`;
  bytes.fill(0); // it is not to lie about in the pool
  return secret;
}

/** What is stored of a secret. They hold at least 128 random bits, so a plain hash cannot be guessed backwards. */
export const hashSecret = (secret: string): Buffer => hash('sha256', secret, 'buffer');
