// How nodes recognise each other: both sides of a request prove that they have CLUSTER_SECRET, without sending it. A
// proof is for one request to one node: it is refused a second time, and after a minute.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Clocks of nodes differ by less. */
const VALID_MS = 60_000;
const MAX_NONCES = 100_000;

const HEADERS = { nonce: 'muster-nonce', time: 'muster-time', proof: 'muster-proof' } as const;

export interface NodeProofs {
  /** The headers of a request for `what` to a node, and the check of its answer. */
  request(
    node: string,
    what: string,
  ): { headers: Record<string, string>; isAnswer: (headers: IncomingHttpHeaders) => boolean };
  /** The headers of the answer to a request to this node; undefined if it was not sent by a node. */
  accept(node: string, what: string, headers: IncomingHttpHeaders): Record<string, string> | undefined;
}

export function openNodeProofs(secret: string, now: () => number = Date.now): NodeProofs {
  /** Used ones, with the time until which they have to be remembered. */
  const nonces = new Map<string, number>();
  const proofOf = (...parts: string[]) =>
    createHmac('sha256', secret).update(JSON.stringify(parts)).digest('base64url');
  const isEqual = (shown: unknown, right: string) => {
    const [one, other] = [Buffer.from(typeof shown === 'string' ? shown : ''), Buffer.from(right)];
    return one.length === other.length && timingSafeEqual(one, other);
  };
  const isNew = (nonce: string) => {
    for (const [known, until] of nonces) {
      if (until > now() && nonces.size < MAX_NONCES) break;
      nonces.delete(known);
    }
    if (nonces.has(nonce)) return false;
    nonces.set(nonce, now() + 2 * VALID_MS);
    return true;
  };

  return {
    request: (node, what) => {
      const nonce = randomBytes(24).toString('base64url');
      const time = String(now());
      return {
        headers: {
          [HEADERS.nonce]: nonce,
          [HEADERS.time]: time,
          [HEADERS.proof]: proofOf('request', node, what, nonce, time),
        },
        isAnswer: (headers) => isEqual(headers[HEADERS.proof], proofOf('answer', node, what, nonce, time)),
      };
    },
    accept: (node, what, headers) => {
      const [nonce, time] = [headers[HEADERS.nonce], headers[HEADERS.time]];
      if (typeof nonce !== 'string' || typeof time !== 'string') return undefined;
      if (!isEqual(headers[HEADERS.proof], proofOf('request', node, what, nonce, time))) return undefined;
      if (!(Math.abs(now() - Number(time)) < VALID_MS) || !isNew(nonce)) return undefined;
      return { [HEADERS.proof]: proofOf('answer', node, what, nonce, time) };
    },
  };
}
