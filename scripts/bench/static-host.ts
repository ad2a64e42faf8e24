// Serves the built dashboard with API answers of a benchmark, so that a page is measured without a service beside it.
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
const JSON_TYPE = 'application/json';
const UserEmail = 'bench@muster.local';

export type Answer = [type: string, body: string];

export interface StaticHost {
  url: string;
  close: () => void;
}

/**
 * `answer`: type and body for a URL. Without one, the host answers for a signed-in account whose lists are empty, and
 * with the files of the dashboard.
 */
export async function startStaticHost(answer: (url: URL) => Answer | undefined): Promise<StaticHost> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost');
    const [type, body] = answer(url) ?? standardAnswer(url.pathname) ?? [];
    if (type !== undefined)
      // Only an isolated page may measure its memory.
      return void response
        .writeHead(200, {
          'content-type': type,
          'cross-origin-opener-policy': 'same-origin',
          'cross-origin-embedder-policy': 'require-corp',
        })
        .end(body);
    try {
      const file = path.join(DIST, path.extname(url.pathname) ? path.normalize(url.pathname) : 'index.html');
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

export const json = (value: unknown): Answer => [JSON_TYPE, typeof value === 'string' ? value : JSON.stringify(value)];

function standardAnswer(pathname: string): Answer | undefined {
  if (pathname === '/auth/session') return json({ SignedIn: true, UserEmail });
  // It offers what the measured pages read.
  if (pathname === '/v1/account')
    return json({ UserEmail, PlanMaxDeviceLimit: 10_000_000, NumDevicesAdded: 1, Capabilities: ['output'] });
  return pathname.startsWith('/v1/') ? json([]) : undefined;
}
