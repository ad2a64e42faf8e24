// Hostile clients of a gateway, and hostile services behind it: each affects only its own exchange.
import assert from 'node:assert/strict';
import net from 'node:net';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { test } from 'node:test';
import zlib from 'node:zlib';
import { TOKEN, startBefore, startBeforeRaw } from '../auth/test-gateway.ts';
import { passageOf } from './upstream-answer.ts';
import { openUpstream } from './upstream.ts';

const authorization = `Bearer ${TOKEN}`;
const ask = (url: string, at = '/v1/job', headers: Record<string, string> = {}) =>
  fetch(url + at, { headers: { authorization, ...headers } });

/** Sends bytes unchanged and returns everything until the connection ends. */
function raw(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let said = '';
    const socket = net.connect(Number(port), hostname, () => socket.write(text, 'latin1'));
    socket
      .setEncoding('latin1')
      .on('data', (part: string) => (said += part))
      .on('error', () => {})
      .on('close', () => resolve(said));
  });
}
const statuses = (said: string) => [...said.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));

test('no spelling of a path leads elsewhere', async (t) => {
  const { url, received } = await startBefore(t, (_, response) => response.end('[]'));
  const host = new URL(url).host;
  const request = (target: string) =>
    raw(url, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${authorization}\r\nConnection: close\r\n\r\n`);
  for (const target of [
    '/v1/job/..',
    '/v1/job/%2e%2e',
    '/v1/job/.%2e/account',
    '/v1/job/%252e%252e',
    '/v1/job/a%2f..%2f..%2fadmin',
    '/v1/job/a%5c..%5cadmin',
    '/v1/../admin',
    '/v1/job/a\\..\\..\\admin',
    '//evil.example/v1/job',
    '/v1//job',
    '/v1/job/',
    '/V1/job',
    '/v1/job;x=1',
    '/v1/job#/../admin',
    '/v1/job/a?x=1#y',
    '/v1/job/%00',
    '/v1/job/a%0d%0aX-Injected:1',
    'http://evil.example/v1/job',
    'http://evil.example@127.0.0.1/v1/job',
    'v1/job',
    '*',
  ]) {
    const said = await request(target);
    assert.ok(
      statuses(said).every((status) => status >= 400 && status < 500),
      `${target}: ${said.slice(0, 200)}`,
    );
  }
  assert.equal(received.length, 0);
  // Requests are rebuilt: nothing keeps the sender's spelling.
  await request('/v1/job/a%3fb%23c%40d');
  assert.deepEqual(
    received.map(({ url: target, headers }) => [target, headers.host === host]),
    [['/v1/job/a%3Fb%23c%40d', false]],
  );
});

test('a second request cannot hide in a first, and no header slips through', async (t) => {
  const { url, received } = await startBefore(t, (_, response) => response.end('[]'));
  const head = `Host: ${new URL(url).host}\r\nAuthorization: ${authorization}\r\n`;
  const hidden = `DELETE /v1/tunnels HTTP/1.1\r\n${head}\r\n`;
  for (const lengths of [
    `Content-Length: 0\r\nTransfer-Encoding: chunked\r\n`,
    `Transfer-Encoding: chunked\r\nContent-Length: ${hidden.length}\r\n`,
    'Content-Length: 0\r\nContent-Length: 50\r\n',
    'Transfer-Encoding: xchunked\r\n',
    'Transfer-Encoding : chunked\r\n',
    'Content-Length: +5\r\n',
    ' Folded: yes\r\n',
  ]) {
    const said = await raw(url, `POST /v1/workflow HTTP/1.1\r\n${head}${lengths}\r\n0\r\n\r\n${hidden}`);
    assert.deepEqual(statuses(said), [400], lengths);
  }
  // An unexpected body ends the connection, so that it is not read as the next request.
  const said = await raw(
    url,
    `GET /v1/job HTTP/1.1\r\n${head}Content-Length: ${hidden.length}\r\nConnection: close\r\n\r\n${hidden}`,
  );
  assert.equal(statuses(said).length, 1);
  assert.deepEqual(
    received.map(({ method, url: target }) => `${method} ${target}`),
    ['GET /v1/job'],
  );
  const passed = received[0]?.headers ?? {};
  assert.deepEqual(Object.keys(passed).toSorted(), [
    'accept-encoding',
    'authorization',
    'connection',
    'host',
    'user-agent',
  ]);

  await ask(url, '/v1/job', {
    'x-forwarded-host': 'evil.example',
    'x-http-method-override': 'DELETE',
    te: 'trailers',
    range: 'bytes=0-1',
    'accept-encoding': 'zstd, gzip;q=0, br',
  });
  assert.deepEqual(
    Object.keys(received[1]?.headers ?? {}).filter((name) => !(name in passed)),
    ['accept'],
  );
  assert.equal(received[1]?.headers['accept-encoding'], 'br');
});

test('each of several requests at once on one connection goes with its own token, and no other protocol begins', async (t) => {
  const { url, received } = await startBefore(t, (request, response) =>
    response.end(`"${request.headers.authorization}"`),
  );
  const host = `Host: ${new URL(url).host}\r\n`;
  const said = await raw(
    url,
    [
      `GET /v1/job HTTP/1.1\r\n${host}Authorization: Bearer one\r\n\r\n`,
      `GET /v1/job HTTP/1.1\r\n${host}\r\n`,
      `GET /v1/job HTTP/1.1\r\n${host}Authorization: Bearer two\r\nConnection: close\r\n\r\n`,
    ].join(''),
  );
  assert.deepEqual(statuses(said), [200, 401, 200]);
  assert.ok(said.indexOf('"Bearer one"') < said.indexOf('"Bearer two"'));
  const upgrade = `Connection: upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n`;
  for (const target of ['/agent/link', '/v1/job']) {
    const answer = await raw(url, `GET ${target} HTTP/1.1\r\n${host}Authorization: Bearer one\r\n${upgrade}\r\n`);
    assert.ok(!statuses(answer).includes(101), answer);
  }
  assert.ok(received.every(({ headers }) => headers.upgrade === undefined));
});

test('an answer is data: nothing in its head is for a browser to keep, follow or run', async (t) => {
  const { url } = await startBefore(t, (request, response) => {
    const type = new URL(request.url ?? '', 'http://x').pathname.split('/').at(-1) ?? '';
    response.setHeader('set-cookie', ['a=1', 'muster_x=2']);
    for (const name of [
      'content-security-policy',
      'refresh',
      'link',
      'location',
      'clear-site-data',
      'content-disposition',
      'access-control-allow-origin',
      'access-control-allow-credentials',
      'strict-transport-security',
      'service-worker-allowed',
      'report-to',
      'alt-svc',
      'x-powered-by',
      'server-timing',
      'sourcemap',
    ])
      response.setHeader(name, '*');
    response.writeHead(200, { 'content-type': decodeURIComponent(type).replace('_', '/') }).end('alert(1)');
  });
  for (const [type, passed] of [
    ['text_html', 'text/plain; charset=utf-8'],
    ['text_javascript', 'text/plain; charset=utf-8'],
    ['image_svg+xml', 'text/plain; charset=utf-8'],
    ['text_css', 'text/plain; charset=utf-8'],
    ['application_json-x', 'text/plain; charset=utf-8'],
    ['application_problem+json', 'application/problem+json'],
    ['application_json; charset=utf-8', 'application/json; charset=utf-8'],
  ]) {
    const answer = await ask(url, `/v1/job/${encodeURIComponent(type ?? '')}`);
    assert.equal(answer.headers.get('content-type'), passed, type);
    assert.equal(await answer.text(), 'alert(1)');
    const names = [...answer.headers.keys()].filter(
      (name) => !['date', 'connection', 'keep-alive', 'transfer-encoding'].includes(name),
    );
    assert.deepEqual(names, [
      'cache-control',
      'content-security-policy',
      'content-type',
      'cross-origin-opener-policy',
      'cross-origin-resource-policy',
      'permissions-policy',
      'referrer-policy',
      'x-content-type-options',
    ]);
    assert.equal(answer.headers.get('content-security-policy'), "default-src 'none'; sandbox");
  }
});

test('an invalid answer is reported as such, and harms no other exchange', async (t) => {
  const json = (body: string, head = '') =>
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${head}content-length: ${body.length}\r\n\r\n${body}`;
  const url = await startBeforeRaw(t, (socket, head) => {
    const at = /^GET \/v1\/job\/(\S+)/.exec(head)?.[1];
    switch (at) {
      case 'switch':
        return socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\nnoise');
      case 'hints':
        return socket.write('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'.repeat(1_000));
      case 'noise':
        return socket.write('SSH-2.0-OpenSSH_9.9\r\n\r\n');
      case 'heads':
        return socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(200_000)}\r\n\r\n`);
      case 'lengths':
        return socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 9\r\n\r\n[]');
      case 'huge':
        return socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\n[');
      case 'packed':
        return socket.write(json('x', 'content-encoding: zstd\r\n'));
      case 'split':
        return socket.write(
          'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n set-cookie: a=1\r\ncontent-length: 2\r\n\r\n[]',
        );
      case 'twice':
        return socket.write(json('["one"]') + json('["of nobody"]'));
      case 'later':
        socket.write(json('["one"]'));
        return setImmediate(() => socket.write(json('["of nobody"]')));
      default:
        return socket.write(json('["own"]'));
    }
  });
  for (const at of ['switch', 'hints', 'noise', 'heads', 'lengths', 'huge', 'packed']) {
    const answer = await ask(url, `/v1/job/${at}`);
    assert.equal(answer.status, 502, at);
    assert.match(answer.headers.get('content-type') ?? '', /problem\+json/, at);
    assert.match(await answer.text(), /127\.0\.0\.1:\d+/, at);
  }
  const split = await ask(url, '/v1/job/split');
  assert.equal(split.headers.get('set-cookie'), null);
  // An answer without a request must reach nobody, above all not the next user.
  for (const at of ['twice', 'later'])
    for (let round = 0; round < 5; round++) {
      await (await ask(url, `/v1/job/${at}`)).text().catch(() => '');
      const own = await ask(url, '/v1/job/own', { authorization: 'Bearer of-the-next' });
      assert.equal(await own.text(), '["own"]', at);
    }
});

test('an answer that never ends is ended, also one that keeps dripping', async (t) => {
  const { upstream } = await startBefore(t, (request, response) => {
    response.writeHead(200).write('[');
    const drip = setInterval(() => response.write(' '), 20);
    request.on('close', () => clearInterval(drip));
  });
  const limits = openUpstream(new URL(upstream), { silentMs: 5_000, wholeMs: 200 });
  t.after(() => limits.close());
  const answer = await limits.ask({ method: 'GET', target: '/v1/job', token: TOKEN });
  await assert.rejects(answer.toArray());
});

test('a body counts as large as a browser will unpack it, and must be whole', async (t) => {
  const good = '["packed"]'.repeat(1_000);
  const { url, upstream } = await startBefore(t, (request, response) => {
    const send = (coding: string, body: Buffer) => response.writeHead(200, { 'content-encoding': coding }).end(body);
    switch (request.url) {
      case '/v1/job/bomb':
        return send('gzip', zlib.gzipSync(Buffer.alloc(4 * 1024 * 1024)));
      case '/v1/job/cut':
        return send('gzip', zlib.gzipSync(good).subarray(0, -9));
      case '/v1/job/lie':
        return send('br', Buffer.from('["not packed"]'));
      case '/v1/job/empty':
        return response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': '0' }).end();
      default:
        return send('gzip', zlib.gzipSync(good));
    }
  });
  const packed = await ask(url, '/v1/job/good');
  assert.equal(packed.headers.get('content-encoding'), 'gzip');
  assert.equal(await packed.text(), good);
  assert.equal(await (await ask(url, '/v1/job/empty')).text(), '');
  for (const at of ['cut', 'lie']) await assert.rejects(async () => (await ask(url, `/v1/job/${at}`)).text(), at);
  const behind = openUpstream(new URL(upstream));
  t.after(() => behind.close());
  const bomb = await behind.ask({ method: 'GET', target: '/v1/job/bomb', token: TOKEN });
  await assert.rejects(
    pipeline([bomb, ...passageOf(bomb, [], 1024 * 1024), new PassThrough().resume()]),
    /Too many bytes/,
  );
});

test('more bytes than a browser can hold are not passed, with or without a length', async (t) => {
  const { upstream } = await startBefore(t, (_, response) => response.end('x'.repeat(5_000)));
  const behind = openUpstream(new URL(upstream));
  t.after(() => behind.close());
  const answer = await behind.ask({ method: 'GET', target: '/v1/job', token: TOKEN });
  await assert.rejects(
    pipeline([answer, ...passageOf(answer, [], 4_999), new PassThrough().resume()]),
    /Too many bytes/,
  );
});
