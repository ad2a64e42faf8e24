// What applies to every endpoint: bodies, paths, methods, error shapes, headers.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import type { Hono } from 'hono';
import { createApp } from '../app.ts';
import { Gauges } from '../operation/metrics.ts';
import type { Env } from './implement.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.end());

interface Raw {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}
/** Sends path and body unchanged: fetch would normalise them. */
function raw(method: string, path: string, body = '', headers: Record<string, string> = {}): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(service.url);
    const asked = request(
      { hostname, port, method, path, headers: { Authorization: `Bearer ${service.token}`, ...headers } },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      },
    );
    asked.on('error', reject).end(body);
  });
}

test('a body that is not JSON, not UTF-8, empty or encoded is refused in words', async () => {
  assert.equal((await raw('POST', '/v1/devices', '{')).status, 400);
  assert.equal((await raw('POST', '/v1/devices')).status, 400);
  const latin = await fetch(new URL('/v1/devices', service.url), {
    method: 'POST',
    headers: { Authorization: `Bearer ${service.token}` },
    body: Buffer.from('{"DeviceName":"\xe9","DeviceGroup":""}', 'latin1'),
  });
  assert.equal(latin.status, 400);
  const encoded = await raw('POST', '/v1/devices', 'x', { 'Content-Encoding': 'gzip' });
  assert.equal(encoded.status, 415);
});

test('a body over 1 MB is refused, said to be that large or not, and the connection ends', async () => {
  const large = JSON.stringify({ DeviceName: 'x'.repeat(1024 * 1024), DeviceGroup: '' });
  const said = await raw('POST', '/v1/devices', large);
  assert.deepEqual([said.status, said.headers.connection], [413, 'close']);
  const unsaid = await raw('POST', '/v1/devices', large, { 'Transfer-Encoding': 'chunked' });
  assert.deepEqual([unsaid.status, unsaid.headers.connection], [413, 'close']);
  assert.match(unsaid.headers['content-type'] ?? '', /^application\/problem\+json/);
});

test('a refusal before the body was read ends the connection', async () => {
  const { hostname, port } = new URL(service.url);
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write('POST /v1/devices HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n{"Device'),
    );
    let text = '';
    socket.setEncoding('utf8').on('data', (part: string) => (text += part));
    socket.on('close', () => resolve(text)).on('error', reject);
  });
  assert.match(answer, /^HTTP\/1\.1 401 /);
  assert.match(answer, /\r\nConnection: close\r\n/i);
});

test('a path that names a whole collection by mistake does nothing', async () => {
  await service.call('POST', '/v1/devices', { DeviceName: 'stays', DeviceGroup: '' });
  for (const path of [
    '/v1/tunnels/',
    '/v1/tunnels/.',
    '/v1/tunnels/..',
    '/v1/tunnels/%2e',
    '/v1/tunnels/%2E%2E',
    '/v1/tunnels//',
    '/v1/devices/',
    '/v1/devices/.',
    '/v1/devices/%2e%2e',
    '/v1/job/',
    '/v1/job/..',
    '/v1/tag/%2e',
  ]) {
    const { status } = await raw('DELETE', path);
    assert.ok(status === 404 || status === 400 || status === 405, `${path}: ${status}`);
  }
  const { text } = await raw('GET', '/v1/devices/1/25');
  assert.match(text, /"TotalNumDevices":1/);
});

test('an unknown path is a JSON 404, another method a 405 that names the right ones', async () => {
  for (const path of ['/v1', '/v1/', '/v1/nothing', '/v1/devices/1/2/3', '/v1/account/', '/auth/nothing']) {
    const { status, headers } = await raw('GET', path, '', { Accept: 'text/html' });
    assert.equal(status, 404, path);
    assert.match(headers['content-type'] ?? '', /^application\/problem\+json/);
  }
  const put = await raw('PUT', '/v1/devices');
  assert.deepEqual([put.status, put.headers.allow], [405, 'POST, GET']);
});

test('HEAD answers like GET, without the body', async () => {
  const { status, text, headers } = await raw('HEAD', '/v1/account');
  assert.deepEqual([status, text], [200, '']);
  assert.ok(headers.etag);
});

test('an error that nobody foresaw tells the caller a reference, and nothing else', async (context) => {
  const log = context.mock.method(console, 'error', () => {});
  const app: Hono<Env> = createApp(service.context, { gauges: new Gauges(), readiness: () => Promise.resolve([]) });
  app.put('/broken', () => {
    throw new Error('SELECT secret FROM somewhere');
  });
  const response = await app.request(
    '/broken',
    { method: 'PUT' },
    {
      incoming: { url: '/broken', complete: true, headers: {} },
      outgoing: { setHeader: () => {} },
    },
  );
  assert.equal(response.status, 500);
  const text = await response.text();
  assert.ok(!text.includes('SELECT') && !text.includes(' at '));
  const reference = /reference (\w+)/.exec(text)?.[1] ?? 'none';
  assert.match(String(log.mock.calls[0]?.arguments[0]), new RegExp(reference));
});

test('every answer carries the headers that keep a browser out of trouble', async () => {
  for (const path of ['/v1/account', '/v1/nothing', '/auth/session', '/assets/nothing.js']) {
    const { headers } = await raw('GET', path);
    const policy = String(headers['content-security-policy']);
    // An API answer is never a page.
    if (path.startsWith('/v1/')) assert.equal(policy, "default-src 'none'; sandbox");
    else assert.match(policy, /^default-src 'none'; script-src 'self';/);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin');
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin');
    assert.equal(headers['referrer-policy'], 'strict-origin-when-cross-origin');
    assert.match(String(headers['permissions-policy']), /geolocation=\(self\)/);
    assert.equal(headers['strict-transport-security'], undefined);
  }
});

test('places that need several portions come whole, each once', async () => {
  await service.context.db.write(async (tx) => {
    for (let index = 0; index < 5_000; index++)
      await tx.run(
        `INSERT INTO devices (id, account_id, name, name_folded, grp, key_hash, created, lat) VALUES (?, 1, '', '', '', ?, 0, 1)`,
        `place-${index}`,
        Buffer.from(`place-${index}`),
      );
  });
  const places = (await (await service.call('GET', '/v1/devices/location')).json()) as { DeviceId: string }[];
  const ids = places.map(({ DeviceId }) => DeviceId).filter((id) => id.startsWith('place-'));
  assert.deepEqual(
    ids,
    Array.from({ length: 5_000 }, (_, index) => `place-${index}`),
  );
});

test('a write whose client gave up while the process was suspended is not carried out', async (t) => {
  let suspended = 0;
  const running = performance.now.bind(performance);
  t.mock.method(performance, 'now', () => running() + suspended);
  const { hostname, port } = new URL(service.url);
  const body = JSON.stringify({ DeviceName: 'too late', DeviceGroup: '' });
  const head = `POST /v1/devices HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${service.token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  const given = new Int32Array(new SharedArrayBuffer(4));
  const client = new Worker(
    `const { port, hostname, text, given } = require('node:worker_threads').workerData;
     const socket = require('node:net').connect(port, hostname, () => socket.end(text));
     socket.on('finish', () => setTimeout(() => { socket.destroy(); Atomics.store(given, 0, 1); Atomics.notify(given, 0); }, 50));`,
    { eval: true, workerData: { port: Number(port), hostname, text: head + body, given } },
  );
  // The whole process stands still until the client has gone.
  Atomics.wait(given, 0, 0);
  suspended += 5_000;
  await once(client, 'exit');
  // A later write is behind it in the queue of writes.
  const later = await raw('POST', '/v1/devices', JSON.stringify({ DeviceName: 'in time', DeviceGroup: '' }));
  assert.equal(later.status, 200);
  const named = async (name: string) => (await raw('GET', `/v1/devices/1/25/filters?device_name=${name}`)).text;
  assert.match(await named('in+time'), /in time/);
  assert.equal(await named('too+late'), '[]');
});
