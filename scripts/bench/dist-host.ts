// Serves the built dashboard, and the API answers of a benchmark.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

const DIST = path.join(import.meta.dirname, '../../dist');
const TYPES: Record<string, string> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.html': 'text/html',
};

/** Answers for a signed-in account with these lists by path, or made for the query; every other list is empty. */
export const answering =
  (lists: Record<string, string | ((query: URLSearchParams) => string)>) =>
  (asked: string): [type: string, body: string] | undefined => {
    const { pathname, searchParams } = new URL(asked, 'http://localhost');
    const list = lists[pathname];
    const body =
      pathname === '/auth/session'
        ? JSON.stringify({ SignedIn: true, UserEmail: 'bench@muster.local' })
        : ((typeof list === 'function' ? list(searchParams) : list) ??
          (pathname.startsWith('/v1/') ? '[]' : undefined));
    return body === undefined ? undefined : ['application/json', body];
  };

/** `answer`: type and body for a path with its query; undefined for files of the dashboard. */
export async function serveDist(
  answer: (path: string) => [type: string, body: string] | undefined,
): Promise<{ url: string; close: () => void }> {
  const server = createServer(({ url = '' }, response) => {
    const given = answer(url);
    if (given) return void response.writeHead(200, { 'content-type': given[0] }).end(given[1]);
    const { pathname } = new URL(url, 'http://localhost');
    const file = path.join(DIST, path.extname(pathname) ? path.normalize(pathname) : 'index.html');
    try {
      const bytes = readFileSync(file);
      response.writeHead(200, { 'content-type': TYPES[path.extname(file)] ?? 'font/woff2' }).end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
