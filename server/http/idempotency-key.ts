// The Idempotency-Key of a request whose row in the contract says `once`.
import type { Asked } from './implement.ts';
import { Problem } from './problem.ts';

/** At most 255 characters: it is kept for a day. */
export function idempotencyKey(http: Asked['http']): string | undefined {
  const key = http.req.header('Idempotency-Key');
  if (key !== undefined && (key === '' || key.length > 255))
    throw new Problem(400, 'The Idempotency-Key is not valid', 'Send 1 to 255 characters, new for each request.');
  return key;
}
