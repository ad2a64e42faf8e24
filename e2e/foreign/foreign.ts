// A /v1 service that is not ours, in the test's own process: who it is, is in the files beside this one. It notes what it
// is asked, so that a test can say what reached it and with which token.
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';

/** The token of its only account; the fixtures sign in with it. */
const FOREIGN_TOKEN = 'e2e-token-0123456789abcdefghij';

export interface Ask {
  method: string;
  /** Path and query. */
  url: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Answers by writing; what it leaves alone is a 404 in plain text. */
export type Temper = (ask: Ask, response: ServerResponse) => void | Promise<void>;

export interface Foreign {
  url: string;
  heard: Ask[];
  /** Lets pages of this origin read its answers. */
  allow(origin: string): void;
  /** Reads no more of what is uploaded until the returned function is called. */
  hold(): () => void;
  close(): Promise<void>;
}

/** Made by hand for these tests alone, and signed by nobody. */
const certificate = () => {
  const read = (name: string) => readFileSync(path.join(import.meta.dirname, `test-only-${name}.pem`));
  return { cert: read('certificate'), key: read('key') };
};

export async function startForeign(temper: Temper, { tls = false } = {}): Promise<Foreign> {
  const heard: Ask[] = [];
  let allowed: string | undefined;
  let held: Promise<void> | undefined;
  const listener: RequestListener = (request, response) => {
    void (async () => {
      const { method = '', url = '', headers } = request;
      if (method === 'POST') await held;
      const ask = { method, url, headers, body: await buffer(request) };
      heard.push(ask);
      if (allowed !== undefined && headers.origin === allowed) {
        response.setHeader('access-control-allow-origin', allowed);
        response.setHeader('access-control-allow-headers', 'authorization, content-type');
        response.setHeader('access-control-allow-methods', 'GET, POST, PATCH, DELETE');
        if (method === 'OPTIONS') return void response.writeHead(204).end();
      }
      if (headers.authorization !== `Bearer ${FOREIGN_TOKEN}`) {
        response.writeHead(401, { 'www-authenticate': 'Basic realm="portal"' }).end('token expired or unknown');
        return;
      }
      await temper(ask, response);
      if (!response.headersSent && !response.destroyed) response.writeHead(404).end('404 page not found\n');
    })().catch(() => response.destroy());
  };
  const server = tls ? createTlsServer(certificate(), listener) : createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http${tls ? 's' : ''}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard,
    allow: (origin) => {
      allowed = origin;
    },
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
