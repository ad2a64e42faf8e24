// Splitting HTTP/2 output into messages, and joining a stream with a socket.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { joinStreams, messagesOf, resetConnection } from './tunnel-carrier.ts';

const chunk = (length: number, fill: number) => Buffer.alloc(length, fill);
const messages = (...chunks: Buffer[]) => messagesOf(chunks, (some) => Buffer.concat(some));

test('small chunks are joined in order, large ones are not copied', () => {
  const large = chunk(16_384, 3);
  const all = [chunk(9, 1), chunk(100, 2), large, chunk(9, 4), chunk(9, 5)];
  const sent = messages(...all);
  assert.deepEqual(
    sent.map(({ length }) => length),
    [109, 16_384, 18],
  );
  assert.equal(sent[1], large);
  assert.deepEqual(Buffer.concat(sent), Buffer.concat(all));
  const many = Array.from({ length: 100 }, (_, at) => chunk(1_000, at));
  assert.ok(messages(...many).every(({ length }) => length <= 64 * 1024));
  assert.deepEqual(Buffer.concat(messages(...many)), Buffer.concat(many));
  assert.deepEqual(messages(), []);
});

test('an end that is closed before they are joined closes the other', async () => {
  for (const at of [0, 1]) {
    const ends = [new PassThrough(), new PassThrough()] as const;
    const faults: unknown[] = [];
    for (const end of ends) end.on('error', (cause) => faults.push(cause));
    ends[at]?.destroy();
    await new Promise(setImmediate);
    joinStreams(...ends);
    await new Promise(setImmediate);
    assert.deepEqual([ends[0].destroyed, ends[1].destroyed, faults.length], [true, true, 1]);
  }
});

test('a connection that is reset while its end is being sent is closed', async () => {
  const server = createServer((socket) => socket.on('error', () => {}).resume()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  for (const cut of [resetConnection, (socket: Socket) => cutByStream(socket)]) {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {});
    await once(socket, 'connect');
    socket.write('the last words');
    socket.end();
    const closed = once(socket, 'close');
    cut(socket);
    await closed;
  }
  server.close();
});

function cutByStream(socket: Socket): void {
  const stream = new PassThrough().on('error', () => {});
  joinStreams(stream, socket);
  stream.destroy(new Error('The carrier is lost'));
}
