// Reads the body of a request from Node's stream, with limits.
import type { IncomingMessage } from 'node:http';
import { bodyMemory, tooManyBodies } from './body-memory.ts';
import { Problem } from './problem.ts';

const MB = 1024 * 1024;
/** Largest JSON body, unless its endpoint says otherwise. */
const BODY_LIMIT = MB;
/** A slow sender must not occupy memory for longer. */
const BODY_TIMEOUT_MS = 30_000;
/** What a part takes besides its bytes: a body may come byte by byte. */
const PART_BYTES = 200;

export interface ReadOptions {
  /** The most bytes. */
  limit?: number | undefined;
  /** Begins the sentence about a body that is larger. */
  what?: string;
  /** Whose body it is; without an account, that of an address. */
  sender?: number | string | undefined;
}

/** The bytes of a body. */
export function readBody(
  incoming: IncomingMessage,
  { limit = BODY_LIMIT, what = 'A JSON body', sender = incoming.socket.remoteAddress }: ReadOptions = {},
): Promise<Buffer> {
  const tooLarge = () =>
    new Problem(
      413,
      'The body is too large',
      `${what} may hold at most ${limit < MB ? `${limit / 1024} kB` : `${limit / MB} MB`} here.`,
    );
  const coding = incoming.headers['content-encoding'];
  if (coding !== undefined && coding !== 'identity')
    throw new Problem(415, `The body is encoded as "${coding}"`, 'Send it without a Content-Encoding.');
  const announced = Number(incoming.headers['content-length'] ?? 0);
  if (announced > limit) throw tooLarge();

  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let length = 0;
    const timer = setTimeout(
      () => end(() => reject(new Problem(408, 'The body did not arrive in time', 'Send the request again.'))),
      BODY_TIMEOUT_MS,
    );
    const memory = bodyMemory.open(sender, () => end(() => reject(tooManyBodies())));
    let held = 0;
    const hold = (bytes: number) => {
      if (bytes > held) memory.grow(bytes - held);
      held = Math.max(bytes, held);
    };
    const end = (settle: () => void) => {
      clearTimeout(timer);
      memory.end();
      incoming.off('data', take).off('end', finish).off('close', lost).off('error', lost);
      settle();
    };
    const take = (part: Buffer) => {
      length += part.length;
      parts.push(part);
      if (length > limit) end(() => reject(tooLarge()));
      else hold(length + parts.length * PART_BYTES);
    };
    const finish = () => end(() => resolve(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)));
    const lost = () => end(() => reject(new Problem(400, 'The body was cut off', 'Send the request again.')));
    incoming.on('data', take).on('end', finish).on('close', lost).on('error', lost);
    // A body that does not fit is refused before its sender has sent most of it.
    hold(announced);
  });
}
