// WebSockets and TCP, logins of tunnels, and tunnels that end by themselves.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import type { Socket } from 'node:net';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import { scratch } from '../test-agents.ts';
import { endProcesses, until } from '../../scripts/test-process.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { knock, listening, textOf, TunnelDevice, tunnelsOf, visit } from './test-tunnels.ts';

let service: TestService;
let device: TunnelDevice;
const at = scratch();
const sockets: Socket[] = [];
const web = createServer((_request, response) => void response.end('hello'));
const echoes = new WebSocketServer({ noServer: true });
web.on('upgrade', (request, socket, head) => {
  if (request.url !== '/echo') return void socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno');
  echoes.handleUpgrade(request, socket, head, (opened) => {
    opened.on('message', (message, isBinary) => opened.send(message as Buffer, { binary: isBinary }));
  });
});
// Echoes, and closes only after its visitor has: the connection is half open for a while.
const tcp = createTcpServer({ allowHalfOpen: true }, (socket) => {
  sockets.push(socket);
  socket.on('error', () => {});
  socket.on('data', (piece) => void socket.write(piece));
  socket.on('end', () => socket.end('goodbye'));
});
let webAt: string;
let tcpAt: string;
let guardedAt: string;

before(async () => {
  service = await startTestService({ TUNNEL_TCP_PORTS: '21000-21999' });
  const port = await listening(web);
  webAt = `http://127.0.0.1:${port}`;
  guardedAt = `http://localhost:${port}`;
  tcpAt = `tcp://127.0.0.1:${await listening(tcp)}`;
  const config = path.join(at.folder, 'agent.json');
  const guarded = { to: guardedAt, login: 'anna:secret', expires: '8h' };
  writeFileSync(config, JSON.stringify({ tunnels: [guarded] }));
  device = await TunnelDevice.start(service, ['--tunnel', webAt, '--tunnel', tcpAt, '--config', config]);
  await until('all of them', async () => (await tunnelsOf(service)).length === 3);
});
after(async () => {
  await endProcesses();
  await device.remove();
  web.closeAllConnections();
  web.close();
  tcp.close();
  for (const socket of sockets) socket.destroy();
  await service.end();
  at.remove();
});

const dialEcho = (url: string, where: string) => {
  const { host, port } = new URL(url);
  return new WebSocket(`ws://127.0.0.1:${port}${where}`, { headers: { Host: host } });
};
/** Whether it was cut instead of ended. */
const closed = (socket: Socket) => new Promise<boolean>((resolve) => socket.once('close', resolve));
const portOf = async () => (await device.tunnel(tcpAt)).PublicAddr?.split(':').at(-1) ?? '';

test('a WebSocket passes in both directions; one that the device declines gets its answer', async () => {
  const { PublicUrl } = await device.tunnel(webAt);
  const socket = dialEcho(PublicUrl, '/echo');
  await once(socket, 'open');
  for (const message of [Buffer.from('short'), randomBytes(300_000)]) {
    socket.send(message);
    const [back] = (await once(socket, 'message')) as [Buffer];
    assert.ok(back.equals(message));
  }
  assert.equal((await device.tunnel(webAt)).Connections, 1);
  socket.close();
  await once(socket, 'close');
  const declined = dialEcho(PublicUrl, '/other');
  const [cause] = (await once(declined, 'error')) as [Error];
  assert.match(cause.message, /403/);
  await until('nobody', async () => (await device.tunnel(webAt)).Connections === 0);
});

test('a TCP tunnel has a port and no URL; bytes pass whole, and so does half a goodbye', async () => {
  const { PublicUrl, PublicAddr, Protocol, LocalDest } = await device.tunnel(tcpAt);
  assert.deepEqual([PublicUrl, Protocol, LocalDest], ['N/A', 'TCP', tcpAt]);
  assert.match(PublicAddr ?? '', /^127\.0\.0\.1:21\d{3}$/);
  const socket = await knock(await portOf());
  const sent = randomBytes(4 * 1024 * 1024);
  socket.end(sent);
  const hash = createHash('sha256');
  let length = 0;
  for await (const part of socket) {
    hash.update(part as Buffer);
    length += (part as Buffer).length;
  }
  assert.equal(length, sent.length + 'goodbye'.length);
  assert.equal(hash.digest('hex'), createHash('sha256').update(sent).update('goodbye').digest('hex'));
});

test('an abort on one side reaches the other', async () => {
  const visitor = await knock(await portOf());
  visitor.write('x');
  await once(visitor, 'data');
  const there = sockets.at(-1);
  assert.ok(there);
  const broken = closed(there);
  visitor.resetAndDestroy();
  assert.equal(await broken, true);

  const second = await knock(await portOf());
  second.write('x');
  await once(second, 'data');
  const cut = closed(second);
  sockets.at(-1)?.resetAndDestroy();
  assert.equal(await cut, true);
});

test('one that nobody reads stops nobody', async () => {
  const stuck = await knock(await portOf());
  stuck.on('error', () => {}).write(Buffer.alloc(16 * 1024 * 1024));
  const other = await knock(await portOf());
  other.end('hello');
  assert.equal(await textOf(other), 'hellogoodbye');
  stuck.destroy();
});

test('a WebSocket needs the login of its tunnel too, before anything reaches the device', async () => {
  const { PublicUrl } = await device.tunnel(guardedAt);
  const { host, port } = new URL(PublicUrl);
  let reached = 0;
  const count = () => (reached += 1);
  web.on('upgrade', count);
  const refusal = async (headers: Record<string, string>) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/echo`, { headers: { Host: host, ...headers } });
    const [cause] = (await Promise.race([once(socket, 'error'), once(socket, 'open')])) as [Error | undefined];
    socket.terminate();
    return cause?.message ?? 'it is open';
  };
  const basic = (login: string) => ({ Authorization: `Basic ${Buffer.from(login).toString('base64')}` });
  for (const headers of [{}, basic('anna:wrong'), { Authorization: `Bearer ${service.token}` }, { Cookie: 'sid=1' }])
    assert.match(await refusal(headers), /401/, JSON.stringify(headers));
  assert.equal(reached, 0);
  assert.equal(await refusal(basic('anna:secret')), 'it is open');
  assert.equal(reached, 1);
  web.off('upgrade', count);
});

test('a tunnel with a login asks for it, and keeps it from the device', async () => {
  const { PublicUrl, Auth, ExpiresAt } = await device.tunnel(guardedAt);
  assert.equal(Auth, 'Basic');
  assert.ok(Math.abs(Date.parse(ExpiresAt ?? '') - Date.now() - 8 * 3_600_000) < 120_000);
  const status = async (headers: Record<string, string>) => (await visit(PublicUrl, { headers })).statusCode;
  const basic = (login: string) => ({ Authorization: `Basic ${Buffer.from(login).toString('base64')}` });
  assert.deepEqual(
    [await status({}), await status(basic('anna:wrong')), await status(basic('anna:'))],
    [401, 401, 401],
  );
  let got: string[] = [];
  web.once('request', ({ rawHeaders }) => (got = rawHeaders));
  const entered = await visit(PublicUrl, { headers: basic('anna:secret') });
  assert.equal(entered.statusCode, 200);
  assert.ok(got.length > 0 && !got.includes('Authorization'));

  // Guessing from the same address: a visitor with the login still gets in, and a browser that did continues.
  const cookie = entered.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  for (let turn = 0; turn < 9; turn += 1) await status(basic(`anna:${turn}`));
  assert.equal(await status(basic('anna:secret')), 200);
  web.once('request', ({ rawHeaders }) => (got = rawHeaders));
  for (let turn = 0; turn < 10; turn += 1)
    assert.equal(await status({ ...basic('anna:secret'), Cookie: `sid=1; ${cookie}` }), 200);
  assert.ok(got.includes('sid=1') && !got.join().includes('muster_visitor'));
  const visiting = new WebSocket(`ws://127.0.0.1:${new URL(PublicUrl).port}/echo`, {
    headers: { Host: new URL(PublicUrl).host, ...basic('anna:secret'), Cookie: cookie },
  });
  await once(visiting, 'open');
  visiting.terminate();
});

test('its time over, a tunnel ends and is gone', async () => {
  const { PublicUrl } = await device.tunnel(guardedAt);
  service.clock.offset = 8 * 3_600_000 + 60_000;
  await until('the end', async () => (await tunnelsOf(service)).every(({ LocalDest }) => LocalDest !== guardedAt));
  assert.equal((await visit(PublicUrl)).statusCode, 404);
  service.clock.offset = 0;
});

test('the port stays reserved for a device that is away, and deleting all ends all', async () => {
  const port = await portOf();
  await device.end();
  await until('Offline', async () => (await device.tunnel(tcpAt)).DeviceStatus === 'Offline');
  await assert.rejects(knock(port), /ECONNREFUSED/);
  await device.start();
  await until('the port', async () => (await device.tunnel(tcpAt)).Uptime !== 'N/A');
  assert.equal(await portOf(), port);
  const socket = await knock(port);
  socket.write('x');
  await once(socket, 'data');
  const cut = closed(socket);
  assert.equal((await service.call('DELETE', '/v1/tunnels')).status, 200);
  assert.equal(await cut, true);
  assert.deepEqual(await tunnelsOf(service), []);
});

test('a tunnel that nobody uses ends; one that is used goes on', async () => {
  const config = path.join(at.folder, 'idle.json');
  writeFileSync(config, JSON.stringify({ tunnels: [{ to: webAt, idle: '4s' }] }));
  const second = await TunnelDevice.start(service, ['--config', config]);
  await until('the tunnel', () => /^Tunnel to/m.test(second.agent?.printed ?? ''));
  const { PublicUrl, IdleTimeout } = await second.tunnel(webAt);
  assert.equal(IdleTimeout, 4);
  const socket = dialEcho(PublicUrl, '/echo');
  await once(socket, 'open');
  const begun = performance.now();
  while (performance.now() - begun < 5_000) {
    socket.send('still here');
    await once(socket, 'message');
  }
  await once(socket, 'close');
  await until('the end', () => /^Tunnel to .* is closed: nobody used it$/m.test(second.agent?.printed ?? ''));
  // The agent hears of it before it is stored.
  await until('it to be gone', async () => (await visit(PublicUrl)).statusCode === 404);
  await second.remove();
});
