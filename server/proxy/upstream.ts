// Requests to the upstream service of a gateway. Uses Node's HTTP client, because fetch refuses a GET with a body and
// follows redirects, which a gateway must not.
import { createHash } from 'node:crypto';
import http from 'node:http';
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import { VERSION } from '../version.ts';
import { InvalidAnswer, UpstreamTimeout } from './upstream-fault.ts';

/** Time limits without any data, and for the whole exchange; both are longer than the dashboard waits. */
const SILENT_MS = 60_000;
const WHOLE_MS = 300_000;
/** How long an unused connection stays open. */
const IDLE_MS = 15_000;
/** The most interim responses (RFC 9110, section 15.2). */
const MAX_INTERIM = 16;

/** One request. A streamed body is forwarded only as fast as the service reads it. */
export interface UpstreamRequest {
  method: string;
  /** The path and query below the base address. */
  target: string;
  token: string;
  headers?: OutgoingHttpHeaders;
  body?: Buffer | Readable | undefined;
  /** Aborts the request when its client has disconnected. */
  signal?: AbortSignal | undefined;
}

export interface Upstream {
  /** For users: the host name, and the port if it is not the default. */
  host: string;
  origin: string;
  /** The base address, without a trailing slash. */
  address: string;
  /** Resolves with the head of the response; the caller must read or destroy the body. */
  ask(ask: UpstreamRequest): Promise<IncomingMessage>;
  close(): void;
}

export function openUpstream(base: URL, { silentMs = SILENT_MS, wholeMs = WHOLE_MS } = {}): Upstream {
  const client = base.protocol === 'https:' ? https : http;
  const keepAlive = keepAliveAgent(client);
  const prefix = base.pathname.replace(/\/+$/, '');

  const once = ({ method, target, token, headers, body, signal }: UpstreamRequest) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const read = method === 'GET';
      const options: https.RequestOptions & { holder: string } = {
        method,
        // A write uses a new connection. A keep-alive one may just have closed, and then it would be unknown whether
        // the write took effect.
        agent: read ? keepAlive : false,
        holder: tokenDigest(token),
        timeout: silentMs,
        ...(signal && { signal }),
        headers: { ...headers, authorization: `Bearer ${token}`, 'user-agent': `muster/${VERSION}` },
      };
      const request: ClientRequest = client.request(new URL(`${prefix}${target}`, base), options);
      let interim = 0;
      const late = () => request.destroy(new UpstreamTimeout());
      const whole = setTimeout(late, wholeMs);
      request
        .on('timeout', late)
        .on('close', () => {
          clearTimeout(whole);
          reject(new InvalidAnswer()); // ended with neither an answer nor an error
        })
        .on('response', resolve)
        // A 101 without a request for an upgrade; the data after it is not HTTP.
        .on('upgrade', (_answer, socket) => void socket.destroy())
        .on('information', () => {
          interim += 1;
          if (interim > MAX_INTERIM) request.destroy(new InvalidAnswer());
        })
        .on('error', (cause: NodeJS.ErrnoException) => {
          // The keep-alive connection had closed, so the request was never received.
          const stale = read && request.reusedSocket && cause.code === 'ECONNRESET' && !signal?.aborted;
          if (stale && !isStream(body))
            resolve(once({ method, target, token, ...(headers && { headers }), body, signal }));
          else reject(cause);
        });
      if (!isStream(body)) {
        request.end(body);
        return;
      }
      body.once('error', (cause) => request.destroy(cause));
      body.pipe(request);
    });

  return {
    host: base.host,
    origin: base.origin,
    address: `${base.origin}${prefix}`,
    ask: once,
    close: () => keepAlive.destroy(),
  };
}

/**
 * Keep-alive connections, each for only one token. Node closes an idle connection that receives data, but a surplus
 * response that arrives a moment later would be taken for that of the next request.
 */
function keepAliveAgent(client: typeof http | typeof https): http.Agent {
  const agent = new client.Agent({ keepAlive: true, maxSockets: 64, maxFreeSockets: 8, timeout: IDLE_MS });
  const nameOf = agent.getName.bind(agent);
  agent.getName = (options) => `${nameOf(options)}:${options && 'holder' in options ? String(options.holder) : ''}`;
  return agent;
}

/** Distinguishes tokens without revealing them. */
const tokenDigest = (token: string): string => createHash('sha256').update(token).digest('base64');

const isStream = (body: UpstreamRequest['body']): body is Readable => body !== undefined && !Buffer.isBuffer(body);
