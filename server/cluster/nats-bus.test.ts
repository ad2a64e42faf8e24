// What only NATS has: users, TLS and permissions. The rest is in bus.test.ts.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { LOCALHOST_TLS as TLS } from '../../scripts/test-certificate.ts';
import { until } from '../../scripts/test-process.ts';
import type { Bus, Pace } from './bus.ts';
import { openNatsBus } from './nats-bus.ts';
import { natsTest, startNats } from './test-nats.ts';
import type { NatsServer } from './test-nats.ts';

async function startServer(t: TestContext, ...settings: Parameters<typeof startNats>): Promise<NatsServer> {
  const server = await startNats(...settings);
  t.after(() => server.remove());
  return server;
}
const user = (password: string) => `authorization { user: me, password: "${password}" }`;
async function open(t: TestContext, url: string, pace?: Pace): Promise<Bus> {
  const options = { node: '1', received: () => {}, missed: () => {}, ...(pace && { pace }) };
  const bus = await openNatsBus({ url: new URL(url), prefix: 'muster', ...options });
  t.after(() => bus.close());
  return bus;
}
/** Lines that warn. */
function listen(t: TestContext): string[] {
  const lines: string[] = [];
  t.mock.method(console, 'error', (line: string) => lines.push(line));
  return lines;
}

natsTest('the user, or the token, of the address is sent', async (t) => {
  const withUser = await startServer(t, user('p@ss'));
  assert.ok((await open(t, `nats://me:p%40ss@127.0.0.1:${withUser.port}`)).isConnected());
  const withToken = await startServer(t, 'authorization { token: "t0ken" }');
  assert.ok((await open(t, `nats://t0ken@127.0.0.1:${withToken.port}`)).isConnected());
});

natsTest('a wrong password is logged once, without it, and tried again', async (t) => {
  const lines = listen(t);
  const server = await startServer(t, user('right'));
  const bus = await open(t, `nats://me:s3cret@127.0.0.1:${server.port}`);
  assert.ok(!bus.isConnected());
  server.reload(user('s3cret'));
  await until('another attempt', () => bus.isConnected());
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', /^NATS at nats:\/\/127\.0\.0\.1:\d+ cannot be used .*\(Authorization Violation\)/i);
  assert.ok(!lines.join().includes('s3cret'));
});

natsTest('tls:// needs a certificate for that name, and TLS at all', async (t) => {
  const lines = listen(t);
  const { port } = await startServer(t, 'tls { cert_file: "{folder}/cert", key_file: "{folder}/key" }', TLS);
  assert.ok(!(await open(t, `tls://localhost:${port}`)).isConnected());
  assert.match(lines.at(-1) ?? '', /self-signed certificate/);
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, TLS.cert]);
  t.after(() => setDefaultCACertificates(before));
  assert.ok((await open(t, `tls://localhost:${port}`)).isConnected());
  assert.ok(!(await open(t, `tls://127.0.0.1:${port}`)).isConnected());
  assert.match(lines.at(-1) ?? '', /does not match certificate/);
  const plain = await startServer(t);
  assert.ok(!(await open(t, `tls://localhost:${plain.port}`)).isConnected());
  assert.match(lines.at(-1) ?? '', /does not support 'tls'/);
});

natsTest('a user who may not subscribe is no connection', async (t) => {
  const lines = listen(t);
  const permissions = '{ subscribe: { deny: "muster.1" } }';
  const users = `authorization { users: [{ user: a, password: b, permissions: ${permissions} }] }`;
  const { port } = await startServer(t, `${users}\nno_auth_user: a`);
  assert.ok(!(await open(t, `nats://127.0.0.1:${port}`)).isConnected());
  assert.match(lines[0] ?? '', /Permissions Violation for Subscription to "muster\.1"/);
});

natsTest('a server that takes only short messages is no connection', async (t) => {
  const lines = listen(t);
  const { port } = await startServer(t, 'max_payload: 4096');
  assert.ok(!(await open(t, `nats://127.0.0.1:${port}`)).isConnected());
  assert.match(lines[0] ?? '', /its max_payload is 4096: at least 7999 are needed/);
});

test('servers that say nothing, or something else, leave no connection behind', async (t) => {
  const lines = listen(t);
  const start = async (server: Server) => {
    t.after(() => server.close());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  };
  let connections = 0;
  const count = createServer((socket) => {
    connections += 1;
    socket
      .on('error', () => {})
      .on('close', () => (connections -= 1))
      .resume();
  });
  const bus = await open(t, `nats://127.0.0.1:${await start(count)}`, { checkMs: 1_000, connectMs: 300 });
  assert.match(lines[0] ?? '', /it does not answer/);
  await bus.close();
  await until('no connection', () => connections === 0);
  const ends = createServer((socket) => void socket.on('error', () => {}).end());
  await open(t, `nats://127.0.0.1:${await start(ends)}`);
  assert.match(lines[1] ?? '', /it ends connections at once/);
  const other = createServer((socket) => void socket.on('error', () => {}).end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  await open(t, `nats://127.0.0.1:${await start(other)}`);
  assert.match(lines[2] ?? '', /unexpected response/);
});
