// Hostile or faulty servers on devices, visitors and agents: none of them may crash the service, reach anyone else, or
// use up what others need.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttp2Server } from 'node:http2';
import type { ServerHttp2Stream } from 'node:http2';
import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import { createWebSocketStream, WebSocket } from 'ws';
import { CARRIER_PATH, TICKET_HEADER } from '#/contract/agent-link.ts';
import type { Offer } from '#/contract/agent-link.ts';
import type { NewDevice } from '#/contract/devices.ts';
import { FakeAgent } from '../test-agents.ts';
import { endProcesses, until } from '../../scripts/test-process.ts';
import { pruneTunnels, openTunnel, withdrawTunnels } from '../store/tunnels.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { openSigninLimit } from '../auth/signin-limit.ts';
import { createHttpFront } from './http-front.ts';
import { openVisitorLogins } from './visitor-logins.ts';
import { knock, listening, raw, textOf, TunnelDevice, tunnelsOf, visit } from './test-tunnels.ts';

let service: TestService;
let device: TunnelDevice;
let url: string;
/** What the server on the device answers, and what it received. */
let says: string;
let told = '';
const sockets = new Set<Socket>();
const local = createServer((socket) => {
  sockets.add(socket);
  socket.on('error', () => {});
  socket.on('data', (part) => {
    told += part.toString('latin1');
    if (says !== '') socket.end(says, 'latin1');
  });
});

before(async () => {
  service = await startTestService({ TUNNEL_TCP_PORTS: '22000-22009', SIGNIN_LIMIT: '3' });
  const dest = `http://127.0.0.1:${await listening(local)}`;
  device = await TunnelDevice.start(service, ['--tunnel', dest]);
  url = (await device.tunnel(dest)).PublicUrl;
});
beforeEach(() => {
  told = '';
  says = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
});
after(async () => {
  await endProcesses();
  await device.remove();
  for (const socket of sockets) socket.destroy();
  local.close();
  await service.end();
});

const port = () => new URL(url).port;
const head = (first: string, ...more: string[]) =>
  [`${first} HTTP/1.1`, `Host: ${new URL(url).host}`, ...more, '', ''].join('\r\n');
const isWell = async () => {
  says = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
  assert.equal(await textOf(await visit(url)), 'ok');
};

test('an answer that is none is a 502, and the service goes on', async () => {
  for (const answer of [
    'HTTP/1.1 099 Low\r\nContent-Length: 0\r\n\r\n',
    'HTTP/1.1 000 Zero\r\nContent-Length: 0\r\n\r\n',
    'HTTP/1.1 200 \u0001\u0007\r\nContent-Length: 0\r\n\r\n',
    'HTTP/1.1 1000 High\r\nContent-Length: 0\r\n\r\n',
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nbytes',
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!',
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'HTTP/1.1 200 OK\r\nX-One: a\u0000b\r\n\r\n',
    'HTTP/1.1 200 OK\r\nX-One: a\rX-Two: b\r\n\r\n',
    `HTTP/1.1 200 OK\r\n${`Set-Cookie: ${'x'.repeat(4_000)}\r\n`.repeat(20)}\r\n`,
    'SSH-2.0-OpenSSH_9.2\r\n',
    '\r\n\r\n',
  ]) {
    says = answer;
    const response = await visit(url);
    assert.equal(response.statusCode, 502, answer.slice(0, 60));
    assert.match(await textOf(response), /does not answer/);
    says = answer;
    const upgrade = await raw(port(), head('GET /', 'Connection: Upgrade', 'Upgrade: websocket'));
    assert.doesNotMatch(upgrade.slice(1), /HTTP\/1\.1/, 'two answers in one');
    await isWell();
  }
});

test('a head whose lines end with a bare LF is understood, and what is behind it stays as it is', async () => {
  for (const [answer, body] of [
    ['HTTP/1.1 200 OK\nContent-Length: 8\nSet-Cookie: all=1; Domain=localhost\n\na\nb\n\nc\r\n', 'a\nb\n\nc\r\n'],
    ['HTTP/1.0 200 OK\nContent-Type: text/plain\r\n\r\nto the end\n', 'to the end\n'],
    ['HTTP/1.1 404 Not Found\nContent-Length: 0\n\n', ''],
  ] as const)
    for (const method of ['GET', 'POST']) {
      says = answer;
      const response = await visit(url, method === 'POST' ? { method, body: 'x' } : {});
      assert.equal(await textOf(response), body);
      assert.equal(response.headers['set-cookie'], undefined);
      await isWell();
    }
  says = 'HTTP/1.1 403 Forbidden\nContent-Length: 2\n\nno';
  const upgrade = await raw(port(), head('GET /', 'Connection: Upgrade', 'Upgrade: websocket'));
  assert.match(upgrade, /^HTTP\/1\.1 403 Forbidden\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno$/);
  // The end of this one depends on its line ends.
  says = 'HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n2\nok\n0\n\n';
  assert.equal((await visit(url)).statusCode, 502);
  await isWell();
});

test('long cookies and many headers pass, as far as a browser takes them', async () => {
  const cookies = Array.from({ length: 6 }, (_, at) => `Set-Cookie: c${at}=${'x'.repeat(4_000)}\r\n`).join('');
  const many = Array.from({ length: 1_500 }, (_, at) => `X-${at}: 1\r\n`).join('');
  says = `HTTP/1.1 200 OK\r\n${many}${cookies}Set-Cookie: all=1; Domain=localhost\r\nContent-Length: 0\r\n\r\n`;
  const answer = await raw(port(), head('GET /', 'Connection: close'));
  assert.match(answer, /^HTTP\/1\.1 200 /);
  assert.deepEqual([answer.match(/^Set-Cookie: c/gm)?.length, answer.match(/^X-/gm)?.length], [6, 1_500]);
  assert.doesNotMatch(answer, /all=1/);
});

test('a head of many headers is looked at to its end; one that is too large is refused', async () => {
  const many = Array.from({ length: 1_200 }, (_, at) => `a${at}:`);
  assert.match(await raw(port(), head('GET /', ...many, 'Host: other.localhost')), /^HTTP\/1\.1 400 /);
  assert.match(await raw(port(), head('GET /', `X-Long: ${'x'.repeat(20_000)}`)), /^HTTP\/1\.1 431 /);
  assert.equal(told, '');
});

test('one request cannot hide another', async () => {
  const inner = head('GET /inner');
  for (const text of [
    `${head('GET /', 'Connection: Upgrade', 'Upgrade: websocket', `Content-Length: ${inner.length}`)}${inner}`,
    `${head('GET /', 'Connection: Upgrade', 'Upgrade: websocket', 'Transfer-Encoding: chunked')}0\r\n\r\n${inner}`,
    `${head('POST /', 'Connection: close', 'Transfer-Encoding: \u000bchunked')}0\r\n\r\n${inner}`,
    `${head('POST /', 'Connection: close', 'Transfer-Encoding: chunked')}1;x\nX\r\n0\r\n\r\n${inner}`,
    `${head('POST /', 'Connection: close', 'Content-Length: 0x10')}${inner}`,
    `${head('POST /', 'Connection: close', 'Content-Length: 1_0')}${inner}`,
    `GET / HTTP/1.1\nHost: ${new URL(url).host}\n\n${inner}`,
    `CONNECT ${new URL(url).host} HTTP/1.1\r\nHost: ${new URL(url).host}\r\n\r\n${inner}`,
  ]) {
    const heard = told.length;
    await raw(port(), text);
    const got = told.slice(heard);
    assert.ok((got.match(/HTTP\/1\.1\r\n/g)?.length ?? 0) <= 1, text);
    assert.doesNotMatch(got, /^GET \/inner/m, text);
  }
  // Only GET is upgraded: any other method is an ordinary request, and its bytes are its body.
  await raw(port(), `${head('POST /', 'Connection: Upgrade, close', 'Upgrade: websocket', 'Content-Length: 3')}abc`);
  assert.doesNotMatch(told, /Upgrade: websocket/);
});

test('what looks like our word about the visitor is not passed on, in any spelling', async () => {
  await raw(
    port(),
    head('GET /', 'X_Forwarded_For: 6.6.6.6', 'x-forwarded_proto: https', 'X_Own: 1', 'Connection: close'),
  );
  assert.doesNotMatch(told, /6\.6\.6\.6|proto: https/);
  assert.match(told, /X_Own: 1/);
});

test('rubbish after a request is no part of its answer', async () => {
  says = '';
  const socket = await knock(port());
  socket.write(head('GET /'));
  await until('the request', () => told !== '');
  for (const one of sockets) one.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf');
  await once(socket, 'data');
  socket.write('\u0000\u0001 rubbish\r\n\r\n');
  const rest = await textOf(socket).catch(() => '');
  socket.destroy();
  assert.doesNotMatch(rest, /HTTP\/1\.1/);
});

test('who sends no head, or one letter by letter, is sent away', async () => {
  const front = createHttpFront({
    domain: 'localhost',
    scheme: 'http',
    find: () => undefined,
    exists: async () => false,
    addressOf: () => '127.0.0.1',
    ownCookies: [],
    isOurs: async () => false,
    logins: openVisitorLogins(
      openSigninLimit(10, () => performance.now()),
      'http',
    ),
    headWithinMs: 200,
  });
  const at = await listening(front);
  const silent = await knock(at);
  const slow = await knock(at);
  slow.write('GET / HTTP/1.1\r\nX-Long: ');
  const dripping = setInterval(() => slow.write('x'), 20);
  const answers = await Promise.all([textOf(silent).catch(() => ''), textOf(slow).catch(() => '')]);
  clearInterval(dripping);
  for (const each of [silent, slow]) each.destroy();
  assert.match(answers[0] ?? '', /^$|^HTTP\/1\.1 408 /);
  assert.match(answers[1] ?? '', /^HTTP\/1\.1 408 /);
  front.close();
});

/** Another device, with a scripted agent. */
async function otherDevice(): Promise<NewDevice> {
  const made = await service.call('POST', '/v1/devices', { DeviceName: 'hostile', DeviceGroup: '' });
  return (await made.json()) as NewDevice;
}
const offering = (id: number, more: Partial<Offer> = {}): Offer => ({
  id,
  protocol: 'HTTP',
  dest: `http://127.0.0.1:${id}`,
  ...more,
});

test('a carrier that speaks rubbish ends alone', async () => {
  const { DeviceKey, DeviceId } = await otherDevice();
  const agent = await FakeAgent.connect(service.url, DeviceKey);
  await agent.receive('welcome');
  agent.say({ type: 'offers', run: 'run', offers: [offering(1)] });
  await agent.receive('opened');
  const own = (await tunnelsOf(service)).find((one) => one.DeviceId === DeviceId);
  assert.ok(own);

  const speak: ((socket: WebSocket) => void)[] = [
    (socket) => socket.send(randomBytes(100_000)),
    (socket) => socket.send('text, and no bytes'),
    (socket) => socket.send(Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')),
    // A data frame for a stream that was not opened, and one that claims to be larger than allowed.
    (socket) => socket.send(Buffer.from('00000004000000000000000500000000000968656c6c6f', 'hex')),
    (socket) => socket.send(Buffer.from('000000040000000000ffffff010400000001', 'hex')),
    (socket) => socket.send(Buffer.alloc(17 * 1024 * 1024)),
    (socket) => socket.close(),
    (socket) => socket.terminate(),
    // A WebSocket frame with undefined bits.
    (socket) => (socket as unknown as { _socket: Socket })._socket.write(Buffer.from('ff80', 'hex')),
  ];
  for (const say of speak) {
    const visited = visit(own.PublicUrl);
    const { ticket } = await agent.receive('carry');
    const socket = new WebSocket(service.url.replace(/^http/, 'ws') + CARRIER_PATH, {
      headers: { [TICKET_HEADER]: ticket, Authorization: `Bearer ${DeviceKey}` },
    });
    socket.on('error', () => {});
    await once(socket, 'open');
    const over = new Promise((resolve) => socket.once('close', resolve));
    say(socket);
    assert.equal((await visited).statusCode, 502, say.toString());
    await over;
    await isWell();
  }

  // A malicious HTTP/2 server: headers without end, ends without a beginning.
  for (const lie of [
    (stream: ServerHttp2Stream) =>
      stream.respond({
        ':status': 200,
        ...Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`x${at}`, 'y'.repeat(90)])),
      }),
    (stream: ServerHttp2Stream) => stream.respond({ ':status': 204 }, { endStream: true }),
    (stream: ServerHttp2Stream) => stream.respond({ ':status': 200 }, { endStream: true }),
    (stream: ServerHttp2Stream) => stream.close(8),
    (stream: ServerHttp2Stream) => stream.session?.goaway(1),
  ]) {
    const visited = visit(own.PublicUrl);
    const { ticket } = await agent.receive('carry');
    const socket = new WebSocket(service.url.replace(/^http/, 'ws') + CARRIER_PATH, {
      headers: { [TICKET_HEADER]: ticket, Authorization: `Bearer ${DeviceKey}` },
    });
    socket.on('error', () => {});
    await once(socket, 'open');
    const http2 = createHttp2Server();
    http2.on('sessionError', () => {});
    http2.on('stream', (stream) => {
      stream.on('error', () => {});
      lie(stream);
    });
    const duplex = createWebSocketStream(socket);
    duplex.on('error', () => {});
    http2.emit('connection', duplex);
    assert.equal((await visited).statusCode, 502, lie.toString());
    const over = new Promise((resolve) => socket.once('close', resolve));
    socket.terminate();
    await over;
    await isWell();
  }
  await agent.end();
});

test('a ticket opens one carrier, and a guess none', async () => {
  const { DeviceKey, DeviceId } = await otherDevice();
  const agent = await FakeAgent.connect(service.url, DeviceKey);
  await agent.receive('welcome');
  agent.say({ type: 'offers', run: 'run', offers: [offering(1)] });
  await agent.receive('opened');
  const own = (await tunnelsOf(service)).find((one) => one.DeviceId === DeviceId);
  const visited = visit(own?.PublicUrl ?? '');
  const { ticket } = await agent.receive('carry');
  const dial = async (header: string, authorization = `Bearer ${DeviceKey}`, vouched = '') => {
    const socket = new WebSocket(service.url.replace(/^http/, 'ws') + CARRIER_PATH, {
      headers: { [TICKET_HEADER]: header, Authorization: authorization, 'Muster-Device': vouched },
    });
    const why = await once(socket, 'open').then(
      () => undefined,
      (cause: Error) => cause.message,
    );
    return { socket, why };
  };
  for (const guess of ['', 'x', ticket.toUpperCase(), `${ticket} `.repeat(2)])
    assert.match((await dial(guess)).why ?? '', /403/, guess);
  const other = await otherDevice();
  assert.match((await dial(ticket, `Bearer ${other.DeviceKey}`)).why ?? '', /403/, 'the key of another device');
  assert.match((await dial(ticket, '')).why ?? '', /401/, 'no key');
  assert.match((await dial(ticket, '', DeviceId)).why ?? '', /401/, 'a device that nobody vouches for');
  const first = await dial(ticket);
  assert.equal(first.why, undefined);
  assert.match((await dial(ticket)).why ?? '', /403/);
  first.socket.terminate();
  assert.equal((await visited).statusCode, 502);
  await agent.end();
});

test('an agent that offers the same again and again holds no port of others', async () => {
  const { DeviceKey, DeviceId } = await otherDevice();
  const agent = await FakeAgent.connect(service.url, DeviceKey);
  await agent.receive('welcome');
  const tcp = { protocol: 'TCP', dest: 'tcp://127.0.0.1:22' } as const;
  const same = [offering(1, tcp), offering(2, tcp), offering(1), offering(3, tcp)];
  for (let turn = 0; turn < 20; turn += 1) agent.say({ type: 'offers', run: 'run', offers: same });
  const { tunnels } = await agent.receive('opened');
  assert.deepEqual(
    tunnels.map(({ id, refused }) => [id, refused]),
    [[1, undefined]],
  );
  await agent.end();
  // It reconnects without hindrance.
  const again = await FakeAgent.connect(service.url, DeviceKey);
  await again.receive('welcome');
  again.say({ type: 'offers', run: 'run', offers: [offering(1, tcp)] });
  const opened = await again.receive('opened');
  assert.ok(opened.tunnels[0]?.address);
  const mine = (await tunnelsOf(service)).filter((one) => one.DeviceId === DeviceId);
  assert.equal(mine.length, 1);
  // All ten ports but one are left for others, and none of them gets more than half.
  const greedy = async () => {
    const other = await FakeAgent.connect(service.url, (await otherDevice()).DeviceKey);
    await other.receive('welcome');
    const offers = Array.from({ length: 10 }, (_, id) =>
      offering(id, { protocol: 'TCP', dest: `tcp://127.0.0.1:${id + 1}` }),
    );
    other.say({ type: 'offers', run: 'run', offers });
    const answers = (await other.receive('opened')).tunnels;
    return {
      other,
      open: answers.filter(({ address }) => address).length,
      refused: answers.find((each) => each.refused)?.refused ?? '',
    };
  };
  const one = await greedy();
  assert.equal(one.open, 5);
  assert.match(one.refused, /5 TCP tunnels, the most that one may have here \(TUNNEL_TCP_PORTS_PER_DEVICE\)/);
  const two = await greedy();
  assert.equal(two.open, 4);
  for (const { other } of [one, two]) await other.end();
  await again.end();
});

test('ports of destinations that a device no longer offers count in its share', async () => {
  await otherDevice();
  const { db } = service.context;
  const deviceSeq = (await db.get<{ seq: number }>('SELECT max(seq) AS seq FROM devices'))?.seq ?? 0;
  const ports = await db.write(async (tx) => {
    const openFrom = async (first: number, count: number) => {
      await withdrawTunnels(tx, deviceSeq, 'run');
      for (let number = first; number < first + count; number += 1)
        await openTunnel(
          tx,
          { accountId: 1, deviceSeq, run: 'run', protocol: 'TCP', localDest: `tcp://a:${number}`, port: number },
          Date.now(),
        );
      await pruneTunnels(tx, deviceSeq, 5);
    };
    await openFrom(30_000, 5);
    await openFrom(30_010, 3);
    return tx.all<{ port: number }>(
      'SELECT port FROM tunnels WHERE device_seq = ? AND port IS NOT NULL ORDER BY port',
      deviceSeq,
    );
  });
  assert.deepEqual(
    ports.map((row) => row.port),
    [30_003, 30_004, 30_010, 30_011, 30_012],
  );
});

test('other destinations at each link do not fill the disk', async () => {
  const { DeviceKey } = await otherDevice();
  for (let turn = 0; turn < 4; turn += 1) {
    const agent = await FakeAgent.connect(service.url, DeviceKey);
    await agent.receive('welcome');
    const offers = Array.from({ length: 100 }, (_, id) =>
      offering(id, { dest: `http://127.0.0.1:${turn * 100 + id + 1}` }),
    );
    agent.say({ type: 'offers', run: 'run', offers });
    await agent.receive('opened');
    await agent.end();
  }
  const rows = await service.context.db.get<{ count: number }>(
    `SELECT count(*) AS count FROM tunnels WHERE device_seq = (SELECT max(seq) FROM devices)`,
  );
  assert.equal(rows?.count, 300);
});

test('logins are not guessed: after some wrong ones the address waits', async () => {
  const { DeviceKey, DeviceId } = await otherDevice();
  const agent = await FakeAgent.connect(service.url, DeviceKey);
  await agent.receive('welcome');
  agent.say({ type: 'offers', run: 'run', offers: [offering(1, { login: '0'.repeat(64) })] });
  await agent.receive('opened');
  const own = (await tunnelsOf(service)).find((one) => one.DeviceId === DeviceId)?.PublicUrl ?? '';
  const status = async (login?: string) => {
    const headers = login === undefined ? {} : { Authorization: `Basic ${Buffer.from(login).toString('base64')}` };
    return (await visit(own, { headers })).statusCode;
  };
  assert.deepEqual([await status(), await status()], [401, 401]);
  assert.deepEqual(
    [await status('a:1'), await status('a:2'), await status('a:3'), await status('a:4')],
    [401, 401, 401, 429],
  );
  await agent.end();
});

test('two Authorization headers reach no device', async () => {
  const own = `Host: ${new URL(url).host}\r\nConnection: close`;
  const answer = await raw(port(), `GET / HTTP/1.1\r\n${own}\r\nAuthorization: a\r\nauthorization: b\r\n\r\n`);
  assert.match(answer, /^HTTP\/1\.1 400 /);
});
