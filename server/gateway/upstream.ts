// The service behind a gateway: one address, set at deployment. Node's own HTTP client, because fetch refuses a GET with
// a body and follows redirects with care that is not needed here: none is followed.
import http from 'node:http';
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import { VERSION } from '../version.ts';
import { UpstreamTimeout } from './upstream-fault.ts';

/** Nothing heard or sent for this long, and the whole exchange: longer than the dashboard waits for either. */
const SILENT_MS = 60_000;
const WHOLE_MS = 300_000;

/** One request. A body that is a stream is passed on as fast as the service takes it, and no faster. */
export interface Ask {
  method: string;
  /** Path and query below the base address. */
  target: string;
  token: string;
  headers?: OutgoingHttpHeaders;
  body?: Buffer | Readable | undefined;
  /** Ends the request when the person who asked has gone. */
  signal?: AbortSignal | undefined;
}

export interface Upstream {
  /** As people know it: name, and port where it is not the usual one. */
  host: string;
  origin: string;
  /** The base address, without a slash at its end. */
  address: string;
  /** Resolves with the head of the answer; the body is still to be read, or destroyed. */
  ask(ask: Ask): Promise<IncomingMessage>;
  close(): void;
}

export function openUpstream(base: URL): Upstream {
  const client = base.protocol === 'https:' ? https : http;
  const kept = new client.Agent({ keepAlive: true, maxSockets: 128 });
  const prefix = base.pathname.replace(/\/+$/, '');

  const once = ({ method, target, token, headers, body, signal }: Ask) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const read = method === 'GET';
      const request: ClientRequest = client.request(new URL(`${prefix}${target}`, base), {
        method,
        // A write goes over a connection of its own: a kept one may just have ended, and then nobody knows whether the
        // write was done.
        agent: read ? kept : false,
        timeout: SILENT_MS,
        ...(signal && { signal }),
        headers: { ...headers, authorization: `Bearer ${token}`, 'user-agent': `muster/${VERSION}` },
      });
      const late = () => request.destroy(new UpstreamTimeout());
      const whole = setTimeout(late, WHOLE_MS);
      request
        .on('timeout', late)
        .on('close', () => clearTimeout(whole))
        .on('response', resolve)
        .on('error', (cause: NodeJS.ErrnoException) => {
          // The kept connection had ended: the request never got through.
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
    close: () => kept.destroy(),
  };
}

const isStream = (body: Ask['body']): body is Readable => body !== undefined && !Buffer.isBuffer(body);
