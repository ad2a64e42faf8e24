// HTTP through a tunnel, from a visitor to a service on a device and back, with a real agent in between.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { after, before, beforeEach, test } from 'node:test';
import { endProcesses, until } from '../../scripts/test-process.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { listening, raw, textOf, TunnelDevice, tunnelsOf, visit } from './test-tunnels.ts';

let service: TestService;
let local: Server;
let device: TunnelDevice;
let dest: string;
let url: string;
/** How the service on the device behaves, and what it received. */
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let got: { url: string | undefined; method: string | undefined; headers: string[] }[] = [];

before(async () => {
  service = await startTestService();
  local = createServer((request, response) => {
    got.push({ url: request.url, method: request.method, headers: request.rawHeaders });
    answer(request, response);
  });
  dest = `http://127.0.0.1:${await listening(local)}`;
  device = await TunnelDevice.start(service, ['--tunnel', dest]);
  url = (await device.tunnel(dest)).PublicUrl;
});
beforeEach(() => {
  got = [];
  answer = (_request, response) => void response.end('hello');
});
after(async () => {
  await endProcesses();
  await device.remove();
  local.closeAllConnections();
  local.close();
  await service.end();
});

const port = () => new URL(url).port;
const host = () => new URL(url).host;

test('a request passes as it came, and so does its answer', async () => {
  answer = (request, response) => {
    response.writeHead(201, 'Made', [
      'X-One',
      '1',
      'x-one',
      '2',
      'Set-Cookie',
      'a=1',
      'Set-Cookie',
      'b=2; Domain=localhost',
    ]);
    request.pipe(response);
  };
  const response = await visit(url, {
    method: 'PUT',
    path: '/a%2Fb?c=%00',
    body: 'some body',
    headers: { 'X-Own': 'é' },
  });
  assert.deepEqual([response.statusCode, response.statusMessage], [201, 'Made']);
  assert.equal(await textOf(response), 'some body');
  const headers = response.rawHeaders.join('\n');
  assert.match(headers, /X-One\n1\nx-one\n2\nSet-Cookie\na=1/);
  assert.doesNotMatch(headers, /b=2/);
  assert.deepEqual([got[0]?.method, got[0]?.url], ['PUT', '/a%2Fb?c=%00']);
  assert.ok(got[0]?.headers.includes(host()));
  const { BytesIn, BytesOut, Connections } = await device.tunnel(dest);
  assert.deepEqual([BytesIn, BytesOut, Connections], [9, 9, 0]);
});

test('a name with a dot at its end and a whole address as the target are the same request', async () => {
  const dotted = host().replace('localhost', 'localhost.');
  for (const request of [
    `GET /a?b HTTP/1.1\r\nHost: ${dotted}`,
    `GET ${url}/a?b HTTP/1.1\r\nHost: ${host()}`,
    `POST ${url}/a?b HTTP/1.1\r\nHost: ${dotted}\r\nContent-Length: 0`,
  ])
    assert.match(await raw(port(), `${request}\r\nConnection: close\r\n\r\n`), /^HTTP\/1\.1 200 /, request);
  assert.equal(got.length, 3);
  for (const { url: path, headers } of got) {
    assert.equal(path, '/a?b');
    assert.deepEqual(
      headers.filter((_, at) => /host$/i.test(headers[at - 1] ?? '')),
      [host(), host()],
    );
  }
});

test('neither our cookie nor our tokens arrive; a login of the device does', async () => {
  const ours = `muster_${service.context.instanceId}`;
  const basic = `Basic ${Buffer.from(`x:${device.key}`).toString('base64')}`;
  for (const Authorization of [`Bearer ${service.token}`, basic])
    await textOf(
      await visit(url, { headers: { Authorization, Cookie: `${ours}=value; sid=theirs; __Host-${ours}=x` } }),
    );
  const arrived = got.map(({ headers }) => headers.join('\n')).join('\n');
  assert.doesNotMatch(arrived, /authorization|muster_/i);
  assert.match(arrived, /sid=theirs/);
  const login = `Basic ${Buffer.from('admin:admin').toString('base64')}`;
  await textOf(await visit(url, { headers: { Authorization: login } }));
  assert.ok(got.at(-1)?.headers.includes(login));
});

test('a secret of ours is taken out wherever it is, and what is the device’s own arrives', async () => {
  const token = await service.call('POST', '/v1/account/tokens', { Name: 'made' });
  const { Token: made = '' } = (await token.json()) as { Token?: string };
  assert.match(made, /^mut_/);
  const signedIn = await fetch(new URL('/auth/session', service.url), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ Token: made }),
  });
  const session = /mus_[\w-]+/.exec(signedIn.headers.get('Set-Cookie') ?? '')?.[0] ?? '';
  assert.notEqual(session, '');
  for (const secret of [made, device.key, session, service.token ?? '']) {
    const headers = {
      'X-Api-Key': secret,
      'X-Auth-Token': `Token ${secret}`,
      'X-Anything': `a=1, "${secret}"`,
      'Sec-WebSocket-Protocol': `bearer, ${secret}`,
      Cookie: `sid=theirs; copied=${secret}; quoted="${secret}"; last=kept`,
      'X-Kept': 'mut_but_not_one_of_ours_at_all',
    };
    await textOf(await visit(url, { headers }));
    const arrived = got.at(-1)?.headers ?? [];
    assert.ok(!arrived.join('\n').includes(secret), `${secret.slice(0, 4)} in ${arrived.join(' ')}`);
    assert.ok(arrived.includes('sid=theirs; last=kept'), arrived.join(' '));
    assert.ok(arrived.includes('mut_but_not_one_of_ours_at_all'));
  }
  const own = { 'X-Api-Key': 'of-the-device', 'X-Auth-Token': 'mut_of_the_device_itself', Cookie: 'token=of-it' };
  await textOf(await visit(url, { headers: own }));
  for (const value of Object.values(own)) assert.ok(got.at(-1)?.headers.includes(value), value);
});

test('what could be read in two ways is refused, and reaches no device', async () => {
  const refused = async (head: string, body = '') =>
    assert.match(await raw(port(), `${head}\r\nConnection: close\r\n\r\n${body}`), /^HTTP\/1\.1 400 /, head);
  const own = `Host: ${host()}`;
  await refused(`GET / HTTP/1.1\r\n${own}\r\n${own}`);
  await refused(`GET / HTTP/1.1\r\n${own}\r\nHost: other.localhost`);
  await refused('GET / HTTP/1.1\r\nHost: 127.0.0.1');
  await refused('GET / HTTP/1.1');
  await refused('GET / HTTP/1.0');
  await refused(`GET ${url}/ HTTP/1.1\r\nHost: other.localhost`);
  await refused(`GET / HTTP/1.1\r\n${own} \r\n evil`);
  await refused(`POST / HTTP/1.1\r\n${own}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked`, '0\r\n\r\nGET /x');
  await refused(`POST / HTTP/1.1\r\n${own}\r\nContent-Length: 4\r\nContent-Length: 5`, 'abcde');
  await refused(`POST / HTTP/1.1\r\n${own}\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity`, '0\r\n\r\n');
  await refused(`POST / HTTP/1.1\r\n${own}\r\nTransfer-Encoding : chunked`, '0\r\n\r\n');
  assert.deepEqual(got, []);
  assert.match(
    await raw(port(), `GET / HTTP/1.1\r\nHost: ${'a'.repeat(20)}.localhost\r\nConnection: close\r\n\r\n`),
    /^HTTP\/1\.1 404 /,
  );
  // An upgrade that would hide the connection is handled as if it had not been requested.
  const h2c = `GET / HTTP/1.1\r\n${own}\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\n\r\n`;
  assert.match(await raw(port(), h2c), /^HTTP\/1\.1 200 /);
});

test('a large body passes whole in either direction', async () => {
  const piece = randomBytes(1024 * 1024);
  const count = 32;
  const whole = createHash('sha256');
  for (let at = 0; at < count; at += 1) whole.update(piece);
  const expected = whole.digest('hex');
  const pieces = () => Readable.from(Array.from({ length: count }, () => piece));
  answer = (request, response) => {
    if (request.method === 'GET') return void pieces().pipe(response);
    const hash = createHash('sha256');
    request.on('data', (part: Buffer) => hash.update(part)).on('end', () => response.end(hash.digest('hex')));
  };
  assert.equal(await textOf(await visit(url, { method: 'POST', body: pieces() })), expected);
  const hash = createHash('sha256');
  for await (const part of await visit(url)) hash.update(part as Buffer);
  assert.equal(hash.digest('hex'), expected);
});

test('on a connection that closes just when it is used again, only what is safe is sent a second time', async () => {
  const sockets: unknown[] = [];
  let isFirst = true;
  /** Sends it on a connection that was used before, which the device closes without an answer; how often it arrived. */
  const arrivals = async (method: string, headers = '') => {
    for (let attempt = 0; attempt < 20; attempt++) {
      answer = (request, response) => {
        sockets.push(request.socket);
        response.end('hello');
      };
      // Requests that may be repeated have connections of their own.
      await textOf(await visit(url, { method: ['GET', 'HEAD', 'OPTIONS'].includes(method) ? 'GET' : 'POST' }));
      got = [];
      isFirst = true;
      let isReused = false;
      answer = (request, response) => {
        if (!isFirst) return void response.end('again');
        isFirst = false;
        isReused = sockets.includes(request.socket);
        request.socket.destroy();
      };
      const said = await raw(
        port(),
        `${method} /act HTTP/1.1\r\nHost: ${host()}\r\nConnection: close\r\n${headers}\r\n`,
      );
      if (isReused) return { times: got.length, status: said.split(' ')[1] };
    }
    return assert.fail('No connection was used again.');
  };
  for (const method of ['GET', 'HEAD', 'OPTIONS'])
    assert.deepEqual(await arrivals(method), { times: 2, status: '200' }, method);
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
    assert.deepEqual(await arrivals(method), { times: 1, status: '502' }, method);
  assert.deepEqual(await arrivals('POST', 'Content-Length: 0\r\n'), { times: 1, status: '502' });
});

test('an event stream arrives while it is written, and its end at the device when the visitor leaves', async () => {
  let stream: ServerResponse | undefined;
  answer = (_request, response) => {
    stream = response;
    response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders();
  };
  const response = await visit(url);
  for (const event of ['one', 'two']) {
    stream?.write(`data: ${event}\n\n`);
    const [part] = (await once(response, 'data')) as [Buffer];
    assert.equal(part.toString(), `data: ${event}\n\n`);
  }
  assert.ok(stream);
  const left = once(stream, 'close');
  response.destroy();
  await left;
});

test('an answer that breaks off does not look complete, and is not asked for again', async () => {
  for (let turn = 0; turn < 30; turn += 1) {
    // So that the next request finds a connection that was used before.
    answer = (_request, response) => void response.end('hello');
    await textOf(await visit(url));
    got = [];
    answer = (_request, response) => {
      response.write('half');
      setImmediate(() => response.socket?.resetAndDestroy());
    };
    await assert.rejects(visit(url).then(textOf), /aborted|ECONNRESET|socket hang up/);
    assert.equal(got.length, 1);
  }
});

test('an answer that ends with its connection is whole after its end, and broken after a reset', async () => {
  answer = (request, response) => {
    const { socket } = request;
    socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nhalf');
    response.detachSocket(socket);
    if (request.url === '/whole') socket.end(' and half');
    else setTimeout(() => socket.resetAndDestroy(), 50);
  };
  assert.equal(await textOf(await visit(url, { path: '/whole' })), 'half and half');
  await assert.rejects(visit(url).then(textOf), /aborted|ECONNRESET|socket hang up/);
});

test('interim answers are left out, and the end of a HEAD, a 204 and a 304 is found', async () => {
  answer = (request, response) => {
    if (request.url === '/hints') response.writeEarlyHints({ link: '</a.css>; rel=preload; as=style' });
    if (request.url === '/204' || request.url === '/304') response.statusCode = Number(request.url.slice(1));
    response.end(request.method === 'HEAD' || response.statusCode !== 200 ? undefined : 'after the hints');
  };
  const hinted = await visit(url, { path: '/hints' });
  assert.deepEqual([hinted.statusCode, await textOf(hinted)], [200, 'after the hints']);
  for (const path of ['/204', '/304', '/204']) {
    const empty = await visit(url, { path });
    assert.deepEqual([empty.statusCode, await textOf(empty)], [Number(path.slice(1)), '']);
  }
  const head = await visit(url, { method: 'HEAD' });
  assert.deepEqual([head.statusCode, await textOf(head)], [200, '']);
});

test('the text of a status arrives if every reader reads it alike', async () => {
  answer = (_request, response) => void response.writeHead(299, 'Made here').end();
  assert.equal((await visit(url)).statusMessage, 'Made here');
  answer = (_request, response) => void response.writeHead(200, 'Caf\u00e9').end('hello');
  const other = await visit(url);
  assert.deepEqual([other.statusCode, other.statusMessage, await textOf(other)], [200, 'OK', 'hello']);
});

test('a reader that does not read stops nobody', async () => {
  answer = (request, response) => {
    if (request.url !== '/flood') return void response.end('hello');
    const piece = Buffer.alloc(64 * 1024);
    const write = () => {
      while (response.write(piece));
    };
    response.on('drain', write).on('error', () => {});
    write();
  };
  const stuck = await Promise.all(Array.from({ length: 4 }, () => visit(url, { path: '/flood' })));
  for (const response of stuck) response.pause();
  for (let turn = 0; turn < 20; turn += 1) assert.equal(await textOf(await visit(url)), 'hello');
  for (const response of stuck) response.destroy();
});

test('502 while the service is away, and again 200 when it is back', async () => {
  const { port: localPort } = new URL(dest);
  local.closeAllConnections();
  await new Promise((done) => local.close(done));
  const away = await visit(url);
  assert.equal(away.statusCode, 502);
  assert.match(away.headers['content-type'] ?? '', /^text\/html/);
  const page = await textOf(away);
  assert.match(page, /does not answer/);
  assert.ok(!page.includes(localPort));
  await listening(local, Number(localPort));
  assert.equal(await textOf(await visit(url)), 'hello');
});

test('502 while the agent is away; it comes back with the same name, also after a restart of the service', async () => {
  const { Name, Created } = await device.tunnel(dest);
  await device.end();
  await until('Offline', async () => (await device.tunnel(dest)).DeviceStatus === 'Offline');
  assert.equal((await device.tunnel(dest)).Uptime, 'N/A');
  const away = await visit(url);
  assert.equal(away.statusCode, 502);
  assert.match(await textOf(away), /away/);
  await device.start();
  assert.deepEqual([(await device.tunnel(dest)).Name, (await device.tunnel(dest)).Created], [Name, Created]);
  assert.equal(await textOf(await visit(url)), 'hello');

  const { port: at } = new URL(service.url);
  const { dataDir } = service;
  await service.close();
  service = await startTestService({ PORT: at, TUNNEL_PORT: port() }, dataDir);
  await until('the tunnel', async () => (await visit(url)).statusCode === 200);
  assert.equal((await device.tunnel(dest)).Name, Name);
});

test('a deleted tunnel closes at once, and stays so until the agent is started again', async () => {
  answer = (_request, response) => void response.write('and so on');
  const open = await visit(url);
  const broken = assert.rejects(textOf(open));
  const { Name } = await device.tunnel(dest);
  assert.equal((await service.call('DELETE', `/v1/tunnels/${Name}`)).status, 200);
  await broken;
  assert.equal((await visit(url)).statusCode, 404);
  assert.deepEqual(await tunnelsOf(service), []);

  // The connection comes back, the tunnel does not: both sides remember.
  const { port: at } = new URL(service.url);
  const { dataDir } = service;
  await service.close();
  service = await startTestService({ PORT: at, TUNNEL_PORT: port() }, dataDir);
  await until('the agent', () => (device.agent?.printed.match(/Connected to/g)?.length ?? 0) >= 3);
  assert.deepEqual(await tunnelsOf(service), []);

  await device.end();
  await device.start();
  const again = await device.tunnel(dest);
  assert.notEqual(again.Name, Name);
  answer = (_request, response) => void response.end('hello');
  assert.equal(await textOf(await visit(again.PublicUrl)), 'hello');
  assert.equal((await visit(url)).statusCode, 404);
  url = again.PublicUrl;
});

test('deleting the device ends its tunnels', async () => {
  answer = (_request, response) => void response.write('and so on');
  const broken = assert.rejects(textOf(await visit(url)));
  assert.equal((await service.call('DELETE', `/v1/devices/${device.id}`)).status, 200);
  await broken;
  assert.equal((await visit(url)).statusCode, 404);
});
