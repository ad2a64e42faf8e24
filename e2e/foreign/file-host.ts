// A plain file host with nothing of ours behind it: the built dashboard, the policy and the rewrite of
// docs/static-hosting.md, and the address of an API written into the page.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

const DIST = path.join(import.meta.dirname, '../../dist');
const TYPES: Record<string, string> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
};

export async function startFileHost(api: string): Promise<{ url: string; close(): Promise<void> }> {
  const policy = `default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self' ${api}; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  const server = createServer((request, response) => {
    const asked = new URL(request.url ?? '/', 'http://host').pathname;
    const name = path.extname(asked) ? asked : '/index.html';
    const send = (bytes: Buffer) =>
      response
        .writeHead(200, {
          'content-type': TYPES[path.extname(name)] ?? 'application/octet-stream',
          'content-security-policy': policy,
        })
        .end(
          name === '/index.html'
            ? bytes.toString().replace('name="muster-api" content=""', `name="muster-api" content="${api}"`)
            : bytes,
        );
    readFile(path.join(DIST, path.normalize(name))).then(send, () => response.writeHead(404).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
