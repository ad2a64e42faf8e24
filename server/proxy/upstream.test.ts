import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as after } from 'node:timers/promises';
import { TOKEN, WRONG_TOKEN, listen, startBefore } from '../auth/test-gateway.ts';

test('a session replaces the token, which is forwarded, never shown, encrypted at rest and bound to its service', async (t) => {
  const { url, received, dataDir, clock, open, signIn, end, upstream } = await startBefore(t, (_, response) => {
    response.writeHead(200, { 'set-cookie': 'theirs=1', etag: '"x"', 'access-control-allow-origin': '*' }).end('[]');
  });
  assert.equal((await fetch(`${url}/v1/job`)).status, 401);
  const { response, cookie } = await signIn();
  assert.equal(response.status, 200);
  assert.match(response.headers.get('set-cookie') ?? '', /HttpOnly; SameSite=Strict/);

  const headers = { cookie: `${cookie}; other=1`, referer: 'http://x/', 'x-forwarded-for': '10.0.0.1' };
  const jobs = await fetch(`${url}/v1/job`, { headers });
  assert.equal(await jobs.text(), '[]');
  assert.equal(jobs.headers.get('content-security-policy'), "default-src 'none'; sandbox");
  assert.equal(jobs.headers.get('x-content-type-options'), 'nosniff');
  assert.equal(jobs.headers.get('cache-control'), 'no-store');
  assert.equal(jobs.headers.get('etag'), '"x"');
  assert.equal(jobs.headers.get('set-cookie'), null);
  assert.equal(jobs.headers.get('access-control-allow-origin'), null);
  const asked = received.at(-1)?.headers ?? {};
  assert.equal(asked.authorization, `Bearer ${TOKEN}`);
  for (const name of ['cookie', 'origin', 'referer', 'x-forwarded-for']) assert.equal(asked[name], undefined, name);

  // A write needs the page's own origin; a program's own token needs no session.
  const before = received.length;
  assert.equal((await fetch(`${url}/v1/tunnels`, { method: 'DELETE', headers })).status, 403);
  assert.equal((await fetch(`${url}/v1/tunnels`, { method: 'PUT', headers })).status, 405);
  // Logins of tunnels are for one service only.
  assert.equal((await fetch(`${url}/v1/tunnels`, { method: 'POST', headers })).status, 405);
  assert.equal((await fetch(`${url}/v1/admin`, { headers })).status, 404);
  assert.equal(received.length, before);
  await fetch(`${url}/v1/job`, { headers: { ...headers, authorization: 'Bearer mine' } });
  assert.equal(received.at(-1)?.headers.authorization, 'Bearer mine');

  // The cookie's value changes with use, and the previous one remains valid for a while.
  clock.offset = 20 * 60_000;
  const turned = await fetch(`${url}/auth/session`, { headers });
  const fresh = turned.headers.get('set-cookie')?.split(';')[0] ?? '';
  assert.notEqual(fresh, cookie);
  assert.equal((await fetch(`${url}/v1/job`, { headers: { cookie } })).status, 200);
  clock.offset += 2 * 60_000;
  assert.equal((await fetch(`${url}/v1/job`, { headers: { cookie } })).status, 401);

  // It survives a restart; the disk contains no token; and it is invalid for another upstream service.
  await end();
  for (const file of ['gateway.db', 'gateway.db-wal'])
    try {
      assert.ok(!readFileSync(path.join(dataDir, file)).includes(TOKEN));
    } catch (cause) {
      assert.equal((cause as NodeJS.ErrnoException).code, 'ENOENT');
    }
  const again = await open();
  assert.equal((await fetch(`${again.url}/v1/job`, { headers: { cookie: fresh } })).status, 200);
  await again.end();
  const elsewhere = await open({ UPSTREAM_URL: upstream.replace('127.0.0.1', 'localhost') });
  assert.equal((await fetch(`${elsewhere.url}/v1/job`, { headers: { cookie: fresh } })).status, 401);
});

test('bodies of reads go through, uploads whole, refused ones with their reason', async (t) => {
  const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
  const { url } = await startBefore(t, async (request, response) => {
    if (request.url === '/v1/devices') return void response.end(await buffer(request));
    if (request.headers['content-type'] === 'multipart/form-data; boundary=no') {
      // Answers at the first bytes, and reads the rest.
      response.writeHead(413, { 'content-type': 'text/plain' }).write('disk ');
      return void request.on('end', () => response.end('quota')).resume();
    }
    response.end(hash(await buffer(request)));
  });
  const authorization = `Bearer ${TOKEN}`;
  const ids = JSON.stringify([{ DeviceId: 'd1' }]);
  const read = await new Promise<IncomingMessage>((resolve, reject) => {
    http
      .request(
        `${url}/v1/devices`,
        { method: 'GET', headers: { authorization, 'content-length': ids.length } },
        resolve,
      )
      .on('error', reject)
      .end(ids);
  });
  assert.equal((await buffer(read)).toString(), ids);

  const bytes = Buffer.alloc(9 * 1024 * 1024, 'muster');
  const send = (type: string, body: Buffer) =>
    fetch(`${url}/v1/artifact`, { method: 'POST', headers: { authorization, 'content-type': type }, body });
  assert.equal(await (await send('multipart/form-data; boundary=yes', bytes)).text(), hash(bytes));
  const refused = await send('multipart/form-data; boundary=no', bytes);
  assert.equal(refused.status, 413);
  assert.equal(await refused.text(), 'disk quota');
  assert.equal((await send('multipart/form-data; boundary=yes', Buffer.alloc(12 * 1024 * 1024))).status, 413);
  const large = await fetch(`${url}/v1/workflow`, {
    method: 'POST',
    headers: { authorization },
    body: 'x'.repeat(1024 * 1024 + 1),
  });
  assert.equal(large.status, 413);
});

test('an upload goes on as fast as the service takes it: what waits, waits with the browser', async (t) => {
  const total = 10 * 1024 * 1024;
  const arrived = Promise.withResolvers<IncomingMessage>();
  const { url } = await startBefore(t, (request, response) => {
    arrived.resolve(request.pause());
    request.on('end', () => response.end('whole'));
  });
  // The bytes that the gateway has read from its client.
  const taken = Promise.withResolvers<Socket>();
  const open = (message: unknown) => taken.resolve((message as { socket: Socket }).socket);
  subscribe('net.server.socket', open);
  const sender = http.request(`${url}/v1/artifact`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'multipart/form-data; boundary=x',
      'content-length': total,
    },
  });
  const answered = once(sender, 'response') as Promise<[IncomingMessage]>;
  sender.end(Buffer.alloc(total));
  const socket = await taken.promise;
  unsubscribe('net.server.socket', open);
  const behind = await arrived.promise;
  // Until it reads no more for a while: system buffers are a few megabytes at most.
  for (let before = -1; before !== socket.bytesRead; await after(200)) before = socket.bytesRead;
  assert.ok(socket.bytesRead < total * 0.7, `${socket.bytesRead} of ${total} bytes were taken`);
  behind.resume();
  const [answer] = await answered;
  assert.equal((await buffer(answer)).toString(), 'whole');
  assert.ok(socket.bytesRead > total);
});

test('an upload that the browser gives up is given up behind too', async (t) => {
  const arrived = Promise.withResolvers<IncomingMessage>();
  const { url } = await startBefore(t, (request) => arrived.resolve(request));
  const sender = http.request(`${url}/v1/artifact`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'multipart/form-data; boundary=x' },
  });
  sender.on('error', () => {}).write(Buffer.alloc(64 * 1024));
  const request = await arrived.promise;
  const cut = new Promise((resolve) => request.once('close', resolve));
  request.on('error', () => {}).resume();
  sender.destroy();
  await cut;
  assert.equal(request.complete, false);
});

test('what the service says passes as it is; what would lead or mislead the browser does not', async (t) => {
  const other: string[] = [];
  const elsewhere = await listen(t, (request, response) => {
    other.push(request.url ?? '');
    response.end('[]');
  });
  const { url } = await startBefore(t, (request, response) => {
    switch (request.url) {
      case '/v1/job/html':
        return response.writeHead(500, { 'content-type': 'text/html' }).end('<h1>Oops</h1>');
      case '/v1/job/busy':
        return response.writeHead(429, { 'retry-after': '7' }).end('slow down');
      case '/v1/job/basic':
        return response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
      case '/v1/job/bearer':
        return response.writeHead(401, { 'www-authenticate': 'Bearer realm="x"' }).end();
      case '/v1/job/moved':
        return response.writeHead(307, { location: `${elsewhere}/v1/job` }).end();
      case '/v1/job/proxy':
        return response.writeHead(407, { 'proxy-authenticate': 'Basic' }).end();
      case '/v1/job/cut':
        response.writeHead(200, { 'content-length': '100' }).write('[{"JobId":"1"}');
        return setImmediate(() => response.destroy());
      default:
        return request.socket.destroy();
    }
  });
  const ask = (id: string) => fetch(`${url}/v1/job/${id}`, { headers: { authorization: `Bearer ${TOKEN}` } });
  const html = await ask('html');
  assert.deepEqual([html.status, await html.text()], [500, '<h1>Oops</h1>']);
  assert.equal(html.headers.get('content-security-policy'), "default-src 'none'; sandbox");
  const busy = await ask('busy');
  assert.deepEqual([busy.status, busy.headers.get('retry-after'), await busy.text()], [429, '7', 'slow down']);
  assert.equal((await ask('basic')).headers.get('www-authenticate'), null);
  assert.equal((await ask('bearer')).headers.get('www-authenticate'), 'Bearer realm="x"');
  const moved = await ask('moved');
  assert.equal(moved.status, 502);
  assert.match(await moved.text(), new RegExp(`points to ${elsewhere}\\.`));
  assert.deepEqual(other, []);
  assert.equal((await ask('proxy')).status, 502);
  await assert.rejects(async () => (await ask('cut')).text());
  const dead = await ask('dead');
  assert.equal(dead.status, 502);
  assert.match(await dead.text(), /cannot be reached/);
});

test('only who is signed in sees how devices are installed', async (t) => {
  const line = 'portal-agent --key {key}';
  const { url, signIn } = await startBefore(t, () => {}, { INSTALL_COMMAND: line });
  const told = async (headers: Record<string, string> = {}) =>
    ((await (await fetch(`${url}/auth/session`, { headers })).json()) as { InstallCommand?: string }).InstallCommand;
  assert.equal(await told(), undefined);
  const { cookie } = await signIn();
  assert.equal(await told({ cookie }), line);
});

test('ten wrong tokens do not keep the right one out', async (t) => {
  const { signIn, url } = await startBefore(t, (_, response) => response.end('[]'));
  const status = async (token: string) => (await signIn(url, token)).response.status;
  for (let turn = 0; turn < 10; turn += 1) assert.equal(await status(WRONG_TOKEN), 401);
  const { response } = await signIn(url, WRONG_TOKEN);
  assert.equal(response.status, 429);
  assert.ok(Number(response.headers.get('retry-after')) >= 1);
  assert.equal(await status(TOKEN), 200);
  assert.equal(await status(WRONG_TOKEN), 429);
});

test('sign-in says what is wrong with the address', async (t) => {
  const dead = await startBefore(t, () => {}, { UPSTREAM_URL: 'http://127.0.0.1:9' });
  const { response } = await dead.signIn();
  assert.equal(response.status, 502);
  assert.match(await response.text(), /127\.0\.0\.1:9 cannot be reached.*Nothing listens there/);
});
