// What a hostile peer may send on a carrier: WebSocket messages of every kind, bytes that are no WebSocket frame, and
// HTTP/2 frames that are out of order, out of bounds or of no known kind.
import type { Socket } from 'node:net';
import * as fc from 'fast-check';
import type { WebSocket } from 'ws';

/** An HTTP/2 frame (RFC 9113, section 4.1), its length true or not. */
const http2Frame = fc
  .record({
    type: fc.oneof({ weight: 9, arbitrary: fc.nat(9) }, { weight: 1, arbitrary: fc.nat(255) }),
    flags: fc.oneof(fc.constantFrom(0, 1, 4, 5), fc.nat(255)),
    stream: fc.oneof(fc.constantFrom(0, 1, 2, 3), fc.nat(2 ** 31 - 1)),
    payload: fc.oneof(
      // ":status: 200", an acknowledgement, an error code, a window of zero and the largest one.
      fc
        .constantFrom('88', '', '00000008', '00000000', '7fffffff', '0000000000000000')
        .map((hex) => Buffer.from(hex, 'hex')),
      fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
    ),
    claimed: fc.option(fc.nat(2 ** 24 - 1), { freq: 8 }),
  })
  .map(({ type, flags, stream, payload, claimed }) => {
    const head = Buffer.alloc(9);
    head.writeUIntBE(claimed ?? payload.length, 0, 3);
    head.writeUInt8(type, 3);
    head.writeUInt8(flags, 4);
    head.writeUInt32BE(stream, 5);
    return Buffer.concat([head, payload]);
  });
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const SETTINGS = Buffer.from('000000040000000000', 'hex');

const bytes = fc.oneof(
  { weight: 6, arbitrary: http2Frame },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((some) => Buffer.from(some)) },
  { weight: 1, arbitrary: fc.constantFrom(PREFACE, SETTINGS) },
);
const send = fc.record({
  how: fc.oneof(
    { weight: 8, arbitrary: fc.constant('message') },
    { weight: 2, arbitrary: fc.constantFrom('text', 'fragment', 'ping', 'pong') },
    { weight: 1, arbitrary: fc.constantFrom('raw', 'pause', 'close') },
  ),
  bytes,
});

/** A conversation; `greets`: it begins as the side of this peer does, `PREFACE` only on that of the service. */
export const hostileSends = (greeting: 'service' | 'agent') =>
  fc
    .tuple(fc.boolean(), fc.array(send, { maxLength: 12 }))
    .map(([greets, sends]) => [
      ...(greets
        ? [{ how: 'message', bytes: greeting === 'service' ? Buffer.concat([PREFACE, SETTINGS]) : SETTINGS }]
        : []),
      ...sends,
    ]);

export function sendHostile(socket: WebSocket, sends: { how: string; bytes: Buffer }[]): void {
  const line = (socket as unknown as { _socket: Socket })._socket;
  for (const { how, bytes: some } of sends) {
    if (socket.readyState !== socket.OPEN) return;
    if (how === 'message') socket.send(some);
    else if (how === 'text') socket.send(some.toString('latin1'));
    else if (how === 'fragment') socket.send(some, { fin: false });
    else if (how === 'ping') socket.ping(some.subarray(0, 125));
    else if (how === 'pong') socket.pong(some.subarray(0, 125));
    else if (how === 'raw') line.write(some);
    else if (how === 'pause') socket.pause();
    else socket.close();
  }
}
