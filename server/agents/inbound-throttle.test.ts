// What a connection sends beyond its share waits in order, with its socket paused; waiting connections take rounds.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { WebSocket } from 'ws';
import { SocketConnection } from './socket-connection.ts';
import { InboundThrottle, MESSAGE_COST } from './inbound-throttle.ts';

let received: string[];
let now: number;
let rounds: (() => void)[];
let throttle: InboundThrottle;
beforeEach(() => {
  received = [];
  now = 0;
  rounds = [];
  throttle = new InboundThrottle({
    receive: (connection, { kind, bytes }) =>
      received.push(`${connection.name}${kind === 'message' ? '' : ` ${kind}`} ${bytes.toString()}`),
    now: () => now,
    later: (round) => rounds.push(round),
  });
});

/** Advances the time, so that there is a round for waiting connections. */
function pass(ms: number): void {
  now += ms;
  for (const round of rounds.splice(0)) round();
}

function connectionOf(name: string, seq = 1) {
  const calls: string[] = [];
  const socket = { pause: () => calls.push('pause'), resume: () => calls.push('resume') } as unknown as WebSocket;
  return { calls, connection: new SocketConnection(socket, { seq, id: name, name }, new Uint8Array()) };
}

const send = (connection: SocketConnection, text: string, kind: 'message' | 'ping' = 'message') =>
  throttle.accept(connection, { kind, bytes: Buffer.from(text) });

test('a flood waits and its socket is not read, while another device is heard at once; nothing is lost or moved', () => {
  const { connection: flooding, calls } = connectionOf('flood');
  const { connection: other, calls: othersCalls } = connectionOf('other', 2);
  for (let n = 0; n < 3_000; n++) send(flooding, String(n));
  const atOnce = received.length;
  assert.ok(atOnce > 100 && atOnce < 1_000, `${atOnce} at once`);
  assert.deepEqual(calls, ['pause']);
  send(other, 'hello');
  assert.equal(received.at(-1), 'other hello');
  assert.deepEqual(othersCalls, []);

  const counts: number[] = [];
  for (let n = 0; n < 100 && calls.length === 1; n++) {
    const before = received.length;
    pass(10);
    counts.push(received.length - before);
  }
  assert.ok(counts.length > 5 && Math.max(...counts) < 500, String(counts));
  assert.deepEqual(calls, ['pause', 'resume']);
  assert.deepEqual(
    received.filter((text) => text.startsWith('flood')),
    Array.from({ length: 3_000 }, (_, n) => `flood ${n}`),
  );
});

test('of many that wait each has its round, however many there are', () => {
  const floods = Array.from({ length: 20 }, (_, n) => connectionOf(`f${n}`, n).connection);
  for (const connection of floods) for (let n = 0; n < 1_000; n++) send(connection, String(n));
  const heard = new Set<string>();
  for (let round = 0; round < 20; round++) {
    received = [];
    pass(10);
    assert.ok(received.length < 1_000, `${received.length} in one round`);
    for (const text of received) heard.add(text.split(' ')[0] ?? '');
  }
  assert.equal(heard.size, 20);
});

test('ten megabytes in large pieces are taken in within a few rounds', () => {
  const { connection } = connectionOf('honest');
  const piece = 'x'.repeat(64 * 1024);
  for (let n = 0; n < 160; n++) send(connection, piece);
  let waited = 0;
  for (; received.length < 160; waited++) pass(10);
  assert.ok(waited < 25, `${waited} rounds`);
});

test('what waits for the disk stops a connection until it is stored', () => {
  const { connection, calls } = connectionOf('fast');
  connection.unstored = 3_000_000;
  send(connection, 'more');
  pass(1_000);
  assert.deepEqual([received, calls], [[], ['pause']]);
  connection.unstored = 0;
  pass(10);
  assert.deepEqual([received, calls], [['fast more'], ['pause', 'resume']]);
});

test('of a flood of pings the last is answered, in its place', () => {
  const { connection, calls } = connectionOf('pings');
  for (let n = 0; n < 10_000; n++) send(connection, String(n), 'ping');
  send(connection, 'word');
  const atOnce = received.length;
  assert.ok(atOnce < 1_000);
  assert.deepEqual(calls, ['pause']);
  pass(10);
  assert.equal(received.length, atOnce, 'all that were read count');
  pass((10_000 * MESSAGE_COST) / 50_000);
  assert.deepEqual(received.slice(atOnce), ['pings ping 9999', 'pings word']);
  assert.deepEqual(calls, ['pause', 'resume']);
});

test('a connection that is gone or being closed is not received from any more', () => {
  const gone = connectionOf('gone').connection;
  const closing = connectionOf('closing', 2).connection;
  for (const connection of [gone, closing]) for (let n = 0; n < 1_000; n++) send(connection, String(n));
  received = [];
  throttle.drop(gone);
  closing.closing = true;
  pass(1_000);
  assert.deepEqual([received, rounds], [[], []]);
});
