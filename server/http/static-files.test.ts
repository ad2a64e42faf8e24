// The dashboard's files: caching, compression, ranges, and missing files.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { Hono } from 'hono';
import type { Env } from './implement.ts';
import { Problem } from './problem.ts';
import { setSecurityHeaders } from './security-headers.ts';
import { staticFiles } from './static-files.ts';

const script = `console.log(${JSON.stringify('x'.repeat(2000))})`;
const html = '<!doctype html><html lang="en"><meta name="nonce" content="{{nonce}}"><style nonce="{{nonce}}"></style>';
let folder: string;
let app: Hono<Env>;
before(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'muster-static-'));
  mkdirSync(path.join(folder, 'dist/assets'), { recursive: true });
  mkdirSync(path.join(folder, 'dist/basemap'));
  const write = (name: string, text: string | Buffer) => writeFileSync(path.join(folder, name), text);
  write('secret.txt', 'secret');
  write('dist/.hidden', 'secret');
  write('dist/index.html', html);
  write('dist/favicon.svg', '<svg/>');
  write('dist/assets/app-1234.js', script);
  write('dist/assets/app-1234.js.br', brotliCompressSync(script));
  write('dist/assets/app-1234.js.gz', gzipSync(script));
  write('dist/assets/search-worker-1234.js', script);
  write('dist/assets/note-1234.js', 'short');
  write('dist/assets/note-1234.js.gz', gzipSync('short'));
  write('dist/basemap/world.pmtiles', '0123456789');
  app = appOn(path.join(folder, 'dist'));
});
after(() => rmSync(folder, { recursive: true }));

function appOn(dist: string, isSignedIn = true): Hono<Env> {
  const made = new Hono<Env>();
  made.onError((cause) => (cause instanceof Problem ? cause.response() : new Response('broken', { status: 500 })));
  staticFiles(made, dist, { maybeSignedIn: () => isSignedIn });
  return made;
}
const outgoing = () => {
  const made = new ServerResponse(new IncomingMessage(new Socket()));
  setSecurityHeaders(made, true);
  return made;
};
const get = (at: string, headers: Record<string, string> = {}) =>
  app.request(at, { headers }, { outgoing: outgoing() });

test('parts of a page have no headers of a page; workers, images and the page have them', async () => {
  const namesFor = async (at: string) => {
    const answer = outgoing();
    await app.request(at, {}, { outgoing: answer });
    return answer.getHeaderNames().toSorted();
  };
  const part = ['cross-origin-resource-policy', 'strict-transport-security', 'x-content-type-options'];
  assert.deepEqual(await namesFor('/assets/app-1234.js'), part);
  const all = outgoing().getHeaderNames().toSorted();
  for (const at of ['/', '/assets/search-worker-1234.js', '/assets/gone-1234.js', '/favicon.svg'])
    assert.deepEqual(await namesFor(at), all, at);
});

test('a page that is requested without a session is marked, and begins without the navigation', async () => {
  const page = async (isSignedIn: boolean) =>
    (
      await appOn(path.join(folder, 'dist'), isSignedIn).request('/devices', { headers: { Accept: 'text/html' } })
    ).text();
  assert.match(await page(false), /<html data-page="sign-in" lang="en">/);
  assert.match(await page(true), /<html lang="en">/);
});

test('hashed assets are cached for ever, others are revalidated, a page is never cached', async () => {
  const asset = await get('/assets/app-1234.js');
  assert.equal(asset.headers.get('Cache-Control'), 'public, max-age=31536000, immutable');
  assert.equal(asset.headers.get('Content-Type'), 'text/javascript; charset=utf-8');
  assert.equal(await asset.text(), script);
  const icon = await get('/favicon.svg');
  assert.equal(icon.headers.get('Cache-Control'), 'no-cache');
  const again = await get('/favicon.svg', { 'If-None-Match': icon.headers.get('ETag') ?? '' });
  assert.deepEqual([again.status, await again.text()], [304, '']);
  assert.equal((await get('/')).headers.get('Cache-Control'), 'no-store');
});

test('each page has a nonce of its own, the same in its text and in its policy', async () => {
  const seen = new Set<string>();
  for (let round = 0; round < 2; round++) {
    const page = await get('/');
    const nonce = /'nonce-([^']+)'/.exec(page.headers.get('Content-Security-Policy') ?? '')?.[1] ?? '';
    assert.ok(Buffer.from(nonce, 'base64').length >= 16);
    assert.equal(await page.text(), html.replaceAll('{{nonce}}', nonce));
    seen.add(nonce);
  }
  assert.equal(seen.size, 2);
});

test('every page of the dashboard is the same file; what is no page is not', async () => {
  for (const at of ['/devices/abc', '/sign-in', '/index.html', '/jobs/v1.2'])
    assert.equal((await get(at, { Accept: 'text/html,*/*' })).status, 200, at);
  for (const at of ['/assets/gone-9999.js', '/v1/anything', '/auth/anything'])
    assert.equal((await get(at, { Accept: 'text/html' })).status, 404, at);
  assert.equal((await get('/devices/abc', { Accept: 'application/json' })).status, 404);
  assert.equal((await app.request('/devices', { method: 'POST', headers: { Accept: 'text/html' } })).status, 404);
});

test('a file goes out as the build compressed it, in the way the browser takes', async () => {
  const br = await get('/assets/app-1234.js', { 'Accept-Encoding': 'gzip, deflate, br' });
  assert.equal(br.headers.get('Content-Encoding'), 'br');
  assert.equal(br.headers.get('Vary'), 'Accept-Encoding');
  assert.equal(brotliDecompressSync(await br.arrayBuffer()).toString(), script);
  const gzip = await get('/assets/app-1234.js', { 'Accept-Encoding': 'gzip, br;q=0' });
  assert.equal(gzip.headers.get('Content-Encoding'), 'gzip');
  assert.equal(gunzipSync(await gzip.arrayBuffer()).toString(), script);
  assert.notEqual(br.headers.get('ETag'), gzip.headers.get('ETag'));
  for (const accepted of ['identity', 'br']) {
    const plain = await get('/assets/note-1234.js', { 'Accept-Encoding': accepted });
    assert.deepEqual([plain.headers.get('Content-Encoding'), await plain.text()], [null, 'short'], accepted);
  }
  assert.equal((await get('/assets/app-1234.js.br')).status, 404);
  const page = await get('/', { 'Accept-Encoding': 'br' });
  assert.match(brotliDecompressSync(await page.arrayBuffer()).toString(), /^<!doctype html>/);
});

test('the base map is read in ranges', async () => {
  const part = await get('/basemap/world.pmtiles', { Range: 'bytes=2-4', 'Accept-Encoding': 'br' });
  assert.deepEqual(
    [part.status, await part.text(), part.headers.get('Content-Range'), part.headers.get('Content-Length')],
    [206, '234', 'bytes 2-4/10', '3'],
  );
  const whole = await get('/basemap/world.pmtiles');
  assert.deepEqual(
    [whole.status, await whole.text(), whole.headers.get('Accept-Ranges')],
    [200, '0123456789', 'bytes'],
  );
  const past = await get('/basemap/world.pmtiles', { Range: 'bytes=10-' });
  assert.deepEqual([past.status, past.headers.get('Content-Range')], [416, 'bytes */10']);
});

test('no path leads out of the folder or to a hidden file', async () => {
  for (const at of ['/../secret.txt', '/%2e%2e/secret.txt', '/..%2fsecret.txt', '/assets/../../secret.txt', '/.hidden'])
    assert.ok(!(await (await get(at)).text()).includes('secret'), at);
});

test('a new build is served without a restart', async () => {
  writeFileSync(path.join(folder, 'dist/assets/app-5678.js'), 'new');
  writeFileSync(path.join(folder, 'dist/index.html'), 'new page');
  utimesSync(path.join(folder, 'dist/index.html'), new Date(), new Date(Date.now() + 5000));
  assert.equal(await (await get('/')).text(), 'new page');
  assert.equal(await (await get('/assets/app-5678.js')).text(), 'new');
});

test('without a build the page says what to do', async () => {
  const response = await appOn(path.join(folder, 'nowhere')).request('/');
  assert.equal(response.status, 503);
  assert.match(await response.text(), /npm run build/);
});
