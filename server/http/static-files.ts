// The built dashboard. Only files found in its folder are served, so that no path leads out of it. Each page gets a new
// nonce; files are sent as the build compressed them (scripts/precompress.ts).
import { randomBytes } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { Context as HonoContext } from 'hono';
import { acceptedCodings } from './accepted-codings.ts';
import type { App, Env } from './implement.ts';
import { Problem } from './problem.ts';
import { readRange } from './byte-range.ts';
import { contentSecurityPolicy, dropPageHeaders } from './security-headers.ts';

const TYPES = new Map(
  Object.entries<string>({
    '.css': 'text/css; charset=utf-8',
    '.html': 'text/html; charset=utf-8',
    '.ico': 'image/x-icon',
    '.js': 'text/javascript; charset=utf-8',
    '.json': 'application/json',
    '.mjs': 'text/javascript; charset=utf-8',
    '.pmtiles': 'application/octet-stream',
    '.png': 'image/png',
    '.svg': 'image/svg+xml',
    '.txt': 'text/plain; charset=utf-8',
    '.webmanifest': 'application/manifest+json',
    '.woff2': 'font/woff2',
  }),
);
const PART_OF_PAGE = /^\/assets\/(?!.*-worker-).*\.(js|css|woff2)$/;
const PLACEHOLDER = '{{nonce}}';

type Coding = 'br' | 'gzip';
const SUFFIXES = new Map(Object.entries<Coding>({ '.br': 'br', '.gz': 'gzip' }));
const brotli = promisify(zlib.brotliCompress);
const gzip = promisify(zlib.gzip);
const pageSettings = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } };

interface StaticFile {
  path: string;
  size: number;
  modified: number;
  /** Paths of its compressed copies. */
  compressed: Map<Coding, string>;
}

interface Pages {
  /** The origin of the map's tiles, if it is another one. */
  tiles?: string | undefined;
  /** Whether who asks may have a session; the page then begins with the outline of the dashboard. */
  maybeSignedIn?: (http: HonoContext<Env>) => boolean;
}

/** Registers the dashboard in `folder` for every path without another route; call it last. */
export function staticFiles(app: App, folder: string, pages: Pages = {}): void {
  let files = new Map<string, StaticFile>();
  let builtAt = 0;
  /** The current files: a new build changes index.html. */
  const current = (): Map<string, StaticFile> => {
    const index = statSync(path.join(folder, 'index.html'), { throwIfNoEntry: false });
    if ((index?.mtimeMs ?? 0) !== builtAt) {
      builtAt = index?.mtimeMs ?? 0;
      files = index ? listFiles(folder) : new Map<string, StaticFile>();
    }
    return files;
  };

  app.get('*', (http) => {
    const known = current();
    const file = known.get(decoded(http.req.path));
    if (file && file !== known.get('/index.html')) return sendFile(http, file);
    const page = http.req.path === '/' || (http.req.header('Accept') ?? '').includes('text/html');
    if (!page || /^\/(assets|v1|auth)(\/|$)/.test(http.req.path)) return http.notFound();
    const index = known.get('/index.html');
    if (!index)
      throw new Problem(
        503,
        'The dashboard is not built',
        'Run "npm run build", then reload. The API works without it.',
      );
    return sendPage(http, index, pages);
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function listFiles(folder: string): Map<string, StaticFile> {
  const files = new Map<string, StaticFile>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    const url = `/${path.relative(folder, file).split(path.sep).join('/')}`;
    if (!entry.isFile() || url.includes('/.')) continue;
    const { size, mtimeMs } = statSync(file);
    files.set(url, { path: file, size, modified: mtimeMs, compressed: new Map() });
  }
  for (const [url, file] of files) {
    const coding = SUFFIXES.get(path.extname(url));
    const plain = coding && files.get(url.slice(0, -path.extname(url).length));
    if (!plain) continue;
    plain.compressed.set(coding, file.path);
    files.delete(url);
  }
  return files;
}

/** A page is never cached, and its nonce is used once. It is marked where only the sign-in page can follow. */
async function sendPage(http: HonoContext<Env>, file: StaticFile, { tiles, maybeSignedIn }: Pages): Promise<Response> {
  const nonce = randomBytes(16).toString('base64');
  const text = (await readFile(file.path, 'utf8')).replaceAll(PLACEHOLDER, nonce);
  const isSignedOut = maybeSignedIn !== undefined && !maybeSignedIn(http);
  const html = Buffer.from(isSignedOut ? text.replace('<html', '<html data-page="sign-in"') : text);
  const headers = {
    'Content-Type': TYPES.get('.html') ?? '',
    'Content-Security-Policy': contentSecurityPolicy(nonce, tiles),
    'Cache-Control': 'no-store',
    Vary: 'Accept-Encoding',
  };
  const coding = preferredCoding(http);
  if (!coding) return send(html, headers);
  const compressed = coding === 'br' ? await brotli(html, pageSettings) : await gzip(html, { level: 4 });
  return send(compressed, { ...headers, 'Content-Encoding': coding });
}

async function sendFile(http: HonoContext<Env>, file: StaticFile): Promise<Response> {
  if (PART_OF_PAGE.test(http.req.path)) dropPageHeaders(http.env.outgoing);
  const extension = path.extname(file.path);
  const coding = preferredCoding(http, file.compressed);
  const small = coding && file.compressed.get(coding);
  const etag = `"${file.size.toString(36)}-${Math.trunc(file.modified).toString(36)}${coding ? `-${coding}` : ''}"`;
  const headers: Record<string, string> = {
    'Content-Type': TYPES.get(extension) ?? 'application/octet-stream',
    // File names in /assets contain a hash of the content.
    'Cache-Control': http.req.path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    ETag: etag,
    ...(file.compressed.size > 0 && { Vary: 'Accept-Encoding' }),
  };
  if (http.req.header('If-None-Match') === etag) return new Response(null, { status: 304, headers });
  if (small) return send(await readFile(small), { ...headers, 'Content-Encoding': coding });

  headers['Accept-Ranges'] = 'bytes';
  const range = readRange(http.req.header('Range'), file.size);
  if (range === 'unsatisfiable')
    throw new Problem(416, 'The file does not have these bytes', `It holds ${file.size} bytes.`, {
      headers: { 'Content-Range': `bytes */${file.size}` },
    });
  if (!range) return send(await readFile(file.path), headers);
  await using handle = await open(file.path);
  const part = Buffer.alloc(range.end - range.start + 1);
  await handle.read(part, 0, part.length, range.start);
  return send(part, { ...headers, 'Content-Range': `bytes ${range.start}-${range.end}/${file.size}` }, 206);
}

const send = (bytes: Buffer, headers: Record<string, string>, status = 200): Response =>
  new Response(new Uint8Array(bytes), { status, headers: { ...headers, 'Content-Length': String(bytes.length) } });

/** The best available coding that the browser accepts. */
function preferredCoding(http: HonoContext<Env>, there?: ReadonlyMap<Coding, string>): Coding | undefined {
  const accepted = acceptedCodings(http.req.header('Accept-Encoding'));
  return (['br', 'gzip'] as const).find((coding) => accepted.includes(coding) && (!there || there.has(coding)));
}
