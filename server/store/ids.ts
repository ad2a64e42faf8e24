// Random ids and secrets. Ids are short because people read them; secrets are long because nobody has to.
import { hash, randomFillSync } from 'node:crypto';
import { crc32 } from 'node:zlib';

// 32 characters, so that a byte selects one without bias; only one of each set that looks similar (0/o, 1/i/l, u/v).
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

// Random bytes are fetched in bulk: twelve cost as much as four thousand.
const pool = Buffer.alloc(4096);
let used = pool.length;

/** Valid until the next call. */
function fresh(length: number): Buffer {
  if (used + length > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return pool.subarray(used, (used += length));
}

/**
 * A new id of lower-case letters and digits, five random bits each: 16 of them are 80 bits, which nobody can guess.
 * Ids of earlier versions have 12 and remain valid; nothing may depend on the length.
 */
export function newId(length = 16): string {
  let id = '';
  for (const byte of fresh(length)) id += ALPHABET[byte & 31];
  return id;
}

/** A new secret of 256 random bits; the prefix names its purpose and prevents a leading dash. */
export function newSecret(prefix: string): string {
  const bytes = fresh(32);
  const secret = `${prefix}_${bytes.toString('base64url')}`;
  bytes.fill(0); // the pool must not contain it any longer
  return secret;
}

/**
 * Appends six characters that follow from the others, so that a scanner for leaked secrets can tell one from a random word
 * without asking the service. Nothing is checked when it is used: tokens of earlier versions have none.
 */
export function withChecksum(secret: string): string {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(secret));
  return secret + sum.toString('base64url');
}

/** The stored form of a secret: a plain hash suffices, because secrets have at least 128 random bits. */
export const hashSecret = (secret: string): Buffer => hash('sha256', secret, 'buffer');
