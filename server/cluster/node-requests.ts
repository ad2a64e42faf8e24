// Plain requests between nodes. Both sides prove that they have CLUSTER_SECRET (node-proof.ts), for exactly this request.
import { request as askHttp } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { request as askHttps } from 'node:https';
import { Problem } from '../http/problem.ts';
import type { NodeProofs } from './node-proof.ts';

export interface NodeRequest {
  method: string;
  /** With the query. */
  path: string;
  headers: Record<string, string>;
  body: Buffer;
  /** What the proofs are about: everything that must not be changed on the way. */
  what: string;
}

export interface NodeAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface NodeRequestsOptions {
  /** Id of this node. */
  node: string;
  proofs: NodeProofs;
  urlOf: (node: string) => Promise<string | undefined>;
}

/** Longer than the longest request waits. */
const TIMEOUT_MS = 70_000;
const MOST_BYTES = 4 * 1024 * 1024;

export function openNodeRequests({ node, proofs, urlOf }: NodeRequestsOptions) {
  const send = (at: URL, holder: string, { method, headers, body, what }: NodeRequest, whenGone: WhenGone) =>
    new Promise<NodeAnswer>((resolve, reject) => {
      const proof = proofs.request(holder, what);
      const ask = at.protocol === 'https:' ? askHttps : askHttp;
      const asked = ask(at, {
        method,
        headers: { ...headers, ...proof.headers, 'Content-Length': body.length },
        timeout: TIMEOUT_MS,
      });
      const fail = (why: string) => {
        asked.destroy();
        reject(unreachable(why));
      };
      whenGone(() => fail('nobody waits for the answer'));
      asked.on('timeout', () => fail('it did not answer'));
      asked.on('error', ({ message }) => fail(message));
      asked.on('response', (response) => {
        if (!proof.isAnswer(response.headers)) return fail('it is not a node with the same CLUSTER_SECRET');
        const parts: Buffer[] = [];
        let length = 0;
        response.on('data', (part: Buffer) => {
          length += part.length;
          parts.push(part);
          if (length > MOST_BYTES) fail('its answer is too long');
        });
        response.on('error', ({ message }) => fail(message));
        response.on('end', () => {
          const { statusCode: status = 500, headers: answered } = response;
          resolve({ status, headers: answered, body: Buffer.concat(parts).toString() });
        });
      });
      asked.end(body);
    });

  return {
    /** Undefined if that node is gone. */
    ask: async (holder: string, request: NodeRequest, whenGone: WhenGone): Promise<NodeAnswer | undefined> => {
      const url = await urlOf(holder);
      return url ? send(new URL(request.path, url), holder, request, whenGone) : undefined;
    },
    /** The headers of the answer to a request to this node; undefined if it was not sent by a node. */
    accept: (what: string, headers: IncomingHttpHeaders) => proofs.accept(node, what, headers),
  };
}

type WhenGone = (gone: () => void) => void;

const unreachable = (why: string) =>
  new Problem(503, 'The node that has the session cannot be reached', `Send the request again later (${why}).`, {
    headers: { 'Retry-After': '2' },
  });
