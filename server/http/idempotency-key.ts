// The Idempotency-Key of requests whose contract row says `once`.
import type { HandlerRequest } from './implement.ts';
import { Problem } from './problem.ts';

/** At most 255 characters, because it is stored for a day. */
export function idempotencyKey(http: HandlerRequest['http']): string | undefined {
  const key = http.req.header('Idempotency-Key');
  if (key !== undefined && (key === '' || key.length > 255))
    throw new Problem(400, 'The Idempotency-Key is not valid', 'Send 1 to 255 characters, new for each request.');
  return key;
}
