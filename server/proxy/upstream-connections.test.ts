// Connections to the service behind a gateway that end just when they are used again: a read is asked once more, and a
// write never goes on such a connection, because nobody would know whether it was carried out.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { openUpstream } from './upstream.ts';
import type { Upstream } from './upstream.ts';

/** Sockets that had a request, and what arrived. */
const used = new WeakSet<Socket>();
let arrived: string[] = [];
/** Closes connections at their second request, without an answer. */
const behind = createServer((request, response) => {
  arrived.push(`${request.method} on ${used.has(request.socket) ? 'a used' : 'a new'} connection`);
  if (used.has(request.socket)) return void request.socket.destroy();
  used.add(request.socket);
  response.end('done');
});
let upstream: Upstream;
before(async () => {
  await once(behind.listen(0, '127.0.0.1'), 'listening');
  upstream = openUpstream(new URL(`http://127.0.0.1:${(behind.address() as AddressInfo).port}`));
});
after(() => {
  upstream.close();
  behind.closeAllConnections();
  behind.close();
});

async function ask(method: string, body?: string): Promise<string> {
  const answer = await upstream.ask({
    method,
    target: '/v1/device',
    token: 'token',
    ...(body !== undefined && { body: Buffer.from(body) }),
  });
  return text(answer);
}

test('a read on a connection that ends is asked again on a new one', async () => {
  arrived = [];
  assert.equal(await ask('GET'), 'done');
  assert.equal(await ask('GET'), 'done');
  assert.deepEqual(arrived, ['GET on a new connection', 'GET on a used connection', 'GET on a new connection']);
});

test('a write has a connection of its own, with a body and without', async () => {
  for (const [method, body] of [['POST', '{}'], ['POST'], ['PUT', '{}'], ['PATCH', '{}'], ['DELETE']] as const) {
    await ask('GET');
    arrived = [];
    assert.equal(await ask(method, body), 'done');
    assert.deepEqual(arrived, [`${method} on a new connection`]);
  }
});
