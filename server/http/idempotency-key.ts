// The Idempotency-Key of requests whose contract row says `once`.
import type { Caller } from '../store/caller.ts';
import type { HandlerRequest } from './implement.ts';
import { Problem } from './problem.ts';

/**
 * What a request asked for, and who did. For answers with a secret: nobody gets the secret of somebody else by the same key.
 */
export const askedBy = ({ personId, tokenId, credential }: Caller, content: object): object => ({
  ...content,
  holder: personId ?? (tokenId === undefined ? credential : `token:${tokenId}`),
});

/** At most 255 characters, because it is stored for a day. */
export function idempotencyKey(http: HandlerRequest['http']): string | undefined {
  const key = http.req.header('Idempotency-Key');
  if (key !== undefined && (key === '' || key.length > 255))
    throw new Problem(400, 'The Idempotency-Key is not valid', 'Send 1 to 255 characters, new for each request.');
  return key;
}
