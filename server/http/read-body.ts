// Reads the body of a request from Node's stream, with limits.
import type { IncomingMessage } from 'node:http';
import { Problem } from './problem.ts';

const MB = 1024 * 1024;
/** Largest JSON body, unless its endpoint says otherwise. */
const BODY_LIMIT = MB;
/** A slow sender must not occupy memory for longer. */
const BODY_TIMEOUT_MS = 30_000;

/** The bytes of a body, at most `limit`; `what` begins the sentence about that. */
export function readBody(incoming: IncomingMessage, limit = BODY_LIMIT, what = 'A JSON body'): Promise<Buffer> {
  const tooLarge = () =>
    new Problem(
      413,
      'The body is too large',
      `${what} may hold at most ${limit < MB ? `${limit / 1024} kB` : `${limit / MB} MB`} here.`,
    );
  const coding = incoming.headers['content-encoding'];
  if (coding !== undefined && coding !== 'identity')
    throw new Problem(415, `The body is encoded as "${coding}"`, 'Send it without a Content-Encoding.');
  if (Number(incoming.headers['content-length'] ?? 0) > limit) throw tooLarge();

  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let length = 0;
    const timer = setTimeout(
      () => end(() => reject(new Problem(408, 'The body did not arrive in time', 'Send the request again.'))),
      BODY_TIMEOUT_MS,
    );
    const end = (settle: () => void) => {
      clearTimeout(timer);
      incoming.off('data', take).off('end', finish).off('close', lost).off('error', lost);
      settle();
    };
    const take = (part: Buffer) => {
      length += part.length;
      parts.push(part);
      if (length > limit) end(() => reject(tooLarge()));
    };
    const finish = () => end(() => resolve(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)));
    const lost = () => end(() => reject(new Problem(400, 'The body was cut off', 'Send the request again.')));
    incoming.on('data', take).on('end', finish).on('close', lost).on('error', lost);
  });
}
