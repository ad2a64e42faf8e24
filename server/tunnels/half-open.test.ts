// Visitors and services on devices that end their side of the connection while the other side still speaks.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, beforeEach, test } from 'node:test';
import { endProcesses } from '../../scripts/test-process.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { listening, TunnelDevice } from './test-tunnels.ts';

let service: TestService;
let local: Server;
let device: TunnelDevice;
let visited: URL;
/** How the service on the device behaves. */
let serve: (socket: Socket) => void;

before(async () => {
  service = await startTestService();
  local = createServer({ allowHalfOpen: true }, (socket) => serve(socket.on('error', () => {})));
  const dest = `http://127.0.0.1:${await listening(local)}`;
  device = await TunnelDevice.start(service, ['--tunnel', dest]);
  visited = new URL((await device.tunnel(dest)).PublicUrl);
});
beforeEach(() => (serve = (socket) => void socket.once('data', () => socket.end(CLOSING))));
after(async () => {
  await endProcesses();
  await device.remove();
  local.close();
  await service.end();
});

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello';
const CLOSING = ANSWER.replace('\r\n', '\r\nConnection: close\r\n');
const TIMES = 6;
const visitor = () => connect({ port: Number(visited.port), host: '127.0.0.1', allowHalfOpen: true });
const head = (method: string, ...headers: string[]) =>
  [`${method} / HTTP/1.1`, `Host: ${visited.host}`, ...headers, '', ''].join('\r\n');

test('a visitor that ends its side behind a request gets the answer', async () => {
  for (let count = 0; count < TIMES; count += 1)
    for (const request of [head('GET'), `${head('POST', 'Content-Length: 4')}body`]) {
      const socket = visitor();
      socket.end(request);
      assert.match(await text(socket), /^HTTP\/1\.1 200 OK\r\n[^]*hello$/);
    }
});

test('a device that ends its side behind an answer, with a length or without', async () => {
  for (const answer of [ANSWER, 'HTTP/1.1 200 OK\r\n\r\nhello', 'HTTP/1.0 200 OK\r\n\r\nhello']) {
    serve = (socket) => void socket.once('data', () => socket.end(answer));
    for (const request of [head('GET'), `${head('POST', 'Content-Length: 4')}body`]) {
      const socket = visitor();
      socket.end(request);
      assert.match(await text(socket), /^HTTP\/1\.1 200 OK\r\n[^]*hello/);
    }
  }
});

test('a device that answers and ends its side before it has read the whole body', async () => {
  serve = (socket) => void socket.once('data', () => socket.end(ANSWER));
  const socket = visitor();
  socket.write(`${head('POST', 'Content-Length: 8')}body`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  socket.end('rest');
  assert.match(answer + (await text(socket)), /^HTTP\/1\.1 200 OK\r\n[^]*hello$/);
});
