// Whatever connections send, at whatever times and sizes: each message is handled once, in the order of its connection,
// and a socket is read again once its backlog is empty.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { WebSocket } from 'ws';
import { holds } from '../../scripts/test-property.ts';
import { SocketConnection } from './socket-connection.ts';
import { InboundThrottle } from './inbound-throttle.ts';
import type { FrameKind } from './inbound-throttle.ts';

const who = fc.nat(2);
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      who,
      kind: fc.constantFrom<FrameKind>('message', 'message', 'message', 'ping', 'pong'),
      count: fc.oneof(fc.constant(1), fc.nat(500)),
      length: fc.oneof(fc.nat(125), fc.constant(1024 * 1024)),
    }),
  },
  { weight: 2, arbitrary: fc.record({ who, unstored: fc.constantFrom(0, 3_000_000) }) },
  { weight: 3, arbitrary: fc.record({ pass: fc.nat(200) }) },
);

/** Without pings and pongs that the next one of their kind replaces. */
const withoutReplaced = (frames: string[]) =>
  frames.filter((frame, at) => frame.startsWith('message') || frames[at + 1]?.split(' ')[0] !== frame.split(' ')[0]);

test('each message is handled once and in order, whatever its connection and the others send', () =>
  holds(
    100,
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let now = 0;
      let number = 0;
      const rounds: (() => void)[] = [];
      const logs = [0, 1, 2].map(() => ({ sent: [] as string[], handled: [] as string[], isPaused: false }));
      const connections = logs.map((log, seq) => {
        const socket = { pause: () => (log.isPaused = true), resume: () => (log.isPaused = false) };
        return new SocketConnection(
          socket as unknown as WebSocket,
          { seq, id: `${seq}`, name: `${seq}` },
          new Uint8Array(),
        );
      });
      const throttle = new InboundThrottle({
        receive: ({ deviceSeq }, { kind, bytes }) =>
          logs[deviceSeq]?.handled.push(`${kind} ${bytes.toString('latin1', 0, 8)}`),
        now: () => now,
        later: (round) => rounds.push(round),
      });
      const pass = (ms: number) => {
        now += ms;
        for (const round of rounds.splice(0)) round();
      };

      for (const each of steps) {
        if ('pass' in each) pass(each.pass);
        else if ('unstored' in each) Object.assign(connections[each.who] ?? {}, { unstored: each.unstored });
        else
          for (let left = each.length > 125 ? 1 : each.count; left > 0; left -= 1) {
            const name = String(number++).padStart(8, '0');
            const connection = connections[each.who];
            if (!connection) continue;
            logs[each.who]?.sent.push(`${each.kind} ${name}`);
            throttle.accept(connection, { kind: each.kind, bytes: Buffer.from(name.padEnd(8 + each.length)) });
          }
      }
      for (const connection of connections) connection.unstored = 0;
      for (let round = 0; rounds.length > 0; round += 1) {
        assert.ok(round < 10_000, 'a backlog that never ends');
        pass(100);
      }
      for (const [seq, { sent, handled, isPaused }] of logs.entries()) {
        assert.deepEqual(withoutReplaced(handled), withoutReplaced(sent));
        assert.deepEqual([isPaused, connections[seq]?.backlog.length], [false, 0]);
      }
    }),
  ));
