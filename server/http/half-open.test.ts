// Clients that end their side of the connection right behind a request, as netcat does.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { LOCALHOST_TLS } from '../../scripts/test-certificate.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { answerHalfOpen } from './half-open.ts';

const TIMES = 6;
let service: TestService;
before(async () => void (service = await startTestService()));
after(() => service.end());

const open = ({ port }: { port: number }): Socket => connect({ port, host: '127.0.0.1', allowHalfOpen: true });
/** The whole answer to a request behind which the client has ended its side. */
async function answerTo(socket: Socket, request: string): Promise<string> {
  socket.end(request);
  return text(socket);
}
const requestOf = (method: string, target: string, body = '') =>
  [
    `${method} ${target} HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${service.token}`,
    ...(body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${body.length}`]),
    '',
    body,
  ].join('\r\n');

test('a read and a write are answered', async () => {
  for (let count = 0; count < TIMES; count += 1) {
    assert.match(await answerTo(open(service), requestOf('GET', '/v1/account')), /^HTTP\/1\.1 200 [^]*\}$/);
    const body = JSON.stringify({ DeviceName: `half ${count}`, DeviceGroup: '' });
    assert.match(await answerTo(open(service), requestOf('POST', '/v1/devices', body)), /^HTTP\/1\.1 200 [^]*DeviceId/);
  }
  const { TotalNumDevices } = (await (await service.call('GET', '/v1/devices/1/25')).json()) as Record<string, number>;
  assert.equal(TotalNumDevices, TIMES);
});

test('over TLS, too', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'muster-half-open-'));
  for (const name of ['cert', 'key'] as const) writeFileSync(path.join(folder, name), LOCALHOST_TLS[name]);
  const tls = await startTestService({ TLS_CERT: path.join(folder, 'cert'), TLS_KEY: path.join(folder, 'key') });
  try {
    for (let count = 0; count < TIMES; count += 1) {
      const socket = connectTls({
        port: tls.port,
        host: '127.0.0.1',
        ca: LOCALHOST_TLS.cert,
        servername: 'localhost',
        allowHalfOpen: true,
      } as never);
      await once(socket, 'secureConnect');
      assert.match(await answerTo(socket, requestOf('GET', '/v1/account')), /^HTTP\/1\.1 200 [^]*\}$/);
    }
  } finally {
    await tls.end();
    rmSync(folder, { recursive: true });
  }
});

test('half a request is refused, and its connection closed', async () => {
  assert.match(await answerTo(open(service), 'GET /v1/account HTTP/1.1\r\nHost: localhost\r\n'), /^HTTP\/1\.1 400 /);
  assert.equal(await answerTo(open(service), ''), '');
});

test('an event stream ends with its client', async () => {
  const socket = open(service);
  socket.write(requestOf('GET', '/v1/events'));
  const [head] = (await once(socket, 'data')) as [Buffer];
  assert.match(head.toString(), /^HTTP\/1\.1 200 [^]*text\/event-stream/);
  socket.resume().end();
  await once(socket, 'close');
});

test('a client that may be gone is not kept for ever', async () => {
  const server = createServer();
  answerHalfOpen(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const socket = open(server.address() as AddressInfo);
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const [asked] = (await once(server, 'request')) as [IncomingMessage];
    const ended = once(asked.socket, 'end');
    socket.end();
    await ended;
    assert.equal(asked.socket.timeout, 60_000);
    asked.socket.emit('timeout');
    await once(socket.resume(), 'close');
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
