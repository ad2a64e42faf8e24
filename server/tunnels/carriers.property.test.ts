// A connection through a tunnel, with a real agent: in whatever pieces the two ends write, stop reading, end or reset,
// and whenever the carrier is cut, each receives what the other sent, and a clean end only if the other side ended.
import assert from 'node:assert/strict';
import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { after, before, test } from 'node:test';
import * as fc from 'fast-check';
import { CARRIER_PATH } from '#/contract/agent-link.ts';
import { resetConnection } from '#/contract/tunnel-carrier.ts';
import { holds } from '../../scripts/test-property.ts';
import { endProcesses } from '../../scripts/test-process.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { listening, TunnelDevice } from './test-tunnels.ts';

/** One end of a connection, and what it sent and received. */
class Peer {
  readonly socket: Socket;
  readonly sent: Buffer[] = [];
  readonly received: Buffer[] = [];
  hasEnded = false;
  hasReset = false;
  sawEnd = false;
  readonly #closed: Promise<unknown>;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('error', () => {});
    socket.on('data', (piece) => this.received.push(piece));
    socket.on('end', () => (this.sawEnd = true));
    this.#closed = new Promise((resolve) => socket.once('close', resolve));
  }

  write(length: number): void {
    if (this.hasEnded || this.hasReset) return;
    const piece = Buffer.alloc(length, `${this.sent.length} ${length} `);
    this.sent.push(piece);
    this.socket.write(piece);
  }

  end(): void {
    this.hasEnded ||= !this.hasReset;
    this.socket.end();
  }

  reset(): void {
    this.hasReset = true;
    resetConnection(this.socket);
  }

  /** Reads on and ends, until the connection is closed. */
  async finish(): Promise<void> {
    this.end();
    this.socket.resume();
    await this.#closed;
  }
}

let service: TestService;
let device: TunnelDevice;
let publicPort: number;
/** Connections on the device, by the name that the visitor sent first. */
const arrived = new Map<string, Socket>();
const local = createServer({ allowHalfOpen: true }, (socket) => {
  socket.on('error', () => {});
  socket.once('data', (name) => {
    arrived.set(name.toString(), socket);
    socket.write('welcome');
  });
});
/** The line between agent and service; `carriers` has the ends of those connections that are carriers. */
const carriers = new Set<Socket>();
const line = createServer((near) => {
  const far = connect(Number(new URL(service.url).port), '127.0.0.1');
  near.once('data', (head) => {
    for (const end of [near, far])
      if (head.includes(CARRIER_PATH)) carriers.add(end.once('close', () => carriers.delete(end)));
    far.write(head);
    near.pipe(far);
    far.pipe(near);
  });
  near.on('error', () => {}).on('close', () => far.destroy());
  far.on('error', () => {}).on('close', () => near.destroy());
});

before(async () => {
  service = await startTestService({ TUNNEL_TCP_PORTS: '23000-23009' });
  const through = { ...service, url: `http://127.0.0.1:${await listening(line)}` };
  const dest = `tcp://127.0.0.1:${await listening(local)}`;
  device = await TunnelDevice.start(through, ['--tunnel', dest]);
  publicPort = Number((await device.tunnel(dest)).PublicAddr?.split(':').at(-1));
});
after(async () => {
  await endProcesses();
  await device.remove();
  line.close();
  local.close();
  await service.end();
});

let visits = 0;

/** Connects until both ends have heard of each other: a visitor who meets a carrier that was just cut is refused. */
async function open(): Promise<{ visitor: Peer; device: Peer }> {
  for (;;) {
    const name = `visit ${++visits}`;
    const socket = connect({ port: publicPort, host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => {});
    socket.write(name);
    const isWelcome = await new Promise<boolean>((resolve) => {
      socket.once('data', () => resolve(true)).once('close', () => resolve(false));
    });
    const other = arrived.get(name);
    if (isWelcome && other) return { visitor: new Peer(socket), device: new Peer(other) };
  }
}

const end = fc.constantFrom('visitor', 'device');
const length = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 1, max: 200 }) },
  { weight: 3, arbitrary: fc.integer({ min: 4_000, max: 70_000 }) },
  { weight: 1, arbitrary: fc.constant(3_000_000) },
);
const step = fc.oneof(
  { weight: 12, arbitrary: fc.record({ end, act: fc.constant('write'), length }) },
  { weight: 3, arbitrary: fc.record({ end, act: fc.constantFrom('pause', 'resume') }) },
  { weight: 3, arbitrary: fc.record({ end, act: fc.constant('wait') }) },
  { weight: 1, arbitrary: fc.record({ end, act: fc.constantFrom('end', 'reset', 'cut') }) },
);
type Step = { end: string; act: string; length?: number };

/** Returns whether the carrier was cut. */
async function act(ends: Record<string, Peer>, { end: name, act: what, length: bytes = 0 }: Step): Promise<boolean> {
  const peer = ends[name];
  if (!peer) return false;
  if (what === 'write') peer.write(bytes);
  else if (what === 'pause') peer.socket.pause();
  else if (what === 'resume') peer.socket.resume();
  else if (what === 'end') peer.end();
  else if (what === 'reset') peer.reset();
  else if (what === 'cut') for (const carrier of carriers) carrier.destroy();
  // Some turns of the event loop, so that something is on its way.
  else for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  return what === 'cut';
}

test('both ends receive what the other sent, in order, and a clean end only after all of it', () =>
  holds(
    25,
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
      const ends = await open();
      let isCut = false;
      for (const each of steps) isCut = (await act(ends, each)) || isCut;
      await Promise.all([ends.visitor.finish(), ends.device.finish()]);
      for (const [from, to] of [
        [ends.visitor, ends.device],
        [ends.device, ends.visitor],
      ] as const) {
        const sent = Buffer.concat(from.sent);
        const received = Buffer.concat(to.received);
        assert.ok(received.equals(sent.subarray(0, received.length)), 'other bytes than were sent');
        if (to.sawEnd) assert.deepEqual([from.hasEnded, received.length], [true, sent.length], 'a false end');
        if (!isCut && !from.hasReset && !to.hasReset) assert.ok(to.sawEnd, 'no end');
        if (from.hasReset && !from.hasEnded) assert.ok(!to.sawEnd, 'a reset that looks like an end');
      }
    }),
  ));
