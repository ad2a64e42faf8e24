// Both buses keep the same promises. That of PostgreSQL is tested by `npm run test:engines`, NATS where the machine has
// its server.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { TestContext } from 'node:test';
import { openRelay } from '../../scripts/chaos/relay.ts';
import { startPostgres } from '../../scripts/engines/postgres-server.ts';
import { until } from '../../scripts/test-process.ts';
import type { Database } from '../store/database.ts';
import { openPostgres } from '../store/postgres.ts';
import { onPostgres, openTestDatabase } from '../store/test-database.ts';
import type { Bus, BusOptions, Pace } from './bus.ts';
import { openNatsBus } from './nats-bus.ts';
import { openPostgresBus } from './postgres-bus.ts';
import { hasNatsServer, NO_NATS, startNats } from './test-nats.ts';

/** A server of its own, and a database for units of work. */
interface Rig {
  db: Database;
  url: URL;
  open(url: URL, options: BusOptions): Promise<Bus>;
  /** Sends any text to a node. */
  sendRaw(node: string, payload: string): Promise<void>;
  kill(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

async function postgresRig(): Promise<Rig> {
  const server = await startPostgres();
  const url = new URL(server.url);
  const db = await openPostgres(url);
  return {
    ...server,
    db,
    url,
    open: (at, options) => openPostgresBus({ url: at, ...options }),
    sendRaw: async (node, payload) =>
      void (await db.write((tx) => tx.run('SELECT pg_notify(?, ?)', `muster_${node}`, payload))),
    close: async () => {
      await db.close();
      await server.remove();
    },
  };
}

async function natsRig(): Promise<Rig> {
  const server = await startNats();
  const db = await openTestDatabase();
  const url = new URL(`nats://127.0.0.1:${server.port}`);
  return {
    ...server,
    db,
    url,
    open: (at, options) => openNatsBus({ url: at, prefix: 'muster.test', ...options }),
    sendRaw: async (node, payload) => {
      const { connect } = await import('@nats-io/transport-node');
      const nats = await connect({ servers: url.host });
      nats.publish(`muster.test.${node}`, payload);
      await nats.drain();
    },
    close: async () => {
      await db.close();
      await server.remove();
    },
  };
}

const rigs: Record<string, () => Promise<Rig>> = {
  ...(hasNatsServer && { NATS: natsRig }),
  ...(onPostgres && { PostgreSQL: postgresRig }),
};
if (!hasNatsServer) console.log(`${NO_NATS}: the promises of the bus, on NATS`);

/** To notice a cut network soon. */
const FAST: Pace = { checkMs: 200, connectMs: 1_000 };

for (const [name, openRig] of Object.entries(rigs))
  void describe(name, () => {
    let rig: Rig;
    before(async () => void (rig = await openRig()));
    after(() => rig.close());

    const openNode = async (t: TestContext, node: string, { url = rig.url, pace }: { url?: URL; pace?: Pace } = {}) => {
      const received: number[] = [];
      let missed = 0;
      const bus = await rig.open(url, {
        node,
        received: (deviceSeqs) => void received.push(...deviceSeqs),
        missed: () => (missed += 1),
        ...(pace && { pace }),
      });
      t.after(() => bus.close());
      const send = (to: string, ...deviceSeqs: number[]) => rig.db.write((tx) => bus.send(tx, to, deviceSeqs));
      return { bus, received, missed: () => missed, send };
    };
    const openCutNode = async (t: TestContext, node: string) => {
      const relay = await openRelay([Number(rig.url.port)]);
      const url = new URL(rig.url);
      url.port = new URL(relay.url).port;
      const opened = await openNode(t, node, { url, pace: FAST });
      t.after(() => relay.close());
      return { ...opened, relay };
    };
    const restart = async () => {
      await rig.start();
      await until('the database', () => rig.db.write(() => true).catch(() => false));
    };

    test('a message arrives after the commit, and never if the unit is rolled back', async (t) => {
      const [one, two] = [await openNode(t, '1'), await openNode(t, '2')];
      assert.ok(one.bus.isConnected() && two.bus.isConnected());
      await rig.db.write(async (tx) => {
        await one.bus.send(tx, '2', [1, 2]);
        await one.bus.send(tx, '2', []);
        assert.deepEqual(two.received, []);
      });
      await assert.rejects(() =>
        rig.db.write(async (tx) => {
          await one.bus.send(tx, '2', [3]);
          throw new Error('no');
        }),
      );
      await one.send('2', 4);
      await until('the last message', () => two.received.includes(4));
      assert.deepEqual(two.received, [1, 2, 4]);
      assert.equal(two.missed(), 0);
    });

    test('messages of a node arrive in the order of its units', async (t) => {
      const [one, two] = [await openNode(t, '1'), await openNode(t, '2')];
      const all = Array.from({ length: 300 }, (_, n) => n + 1);
      await Promise.all(all.map((n) => one.send('2', n)));
      await until('all', () => two.received.length === all.length);
      assert.deepEqual(two.received, all);
    });

    test('50,000 ids arrive at once', async (t) => {
      const [one, two] = [await openNode(t, '1'), await openNode(t, '2')];
      const all = Array.from({ length: 50_000 }, (_, n) => 10_000_000 + n);
      await one.send('2', ...all);
      await until('all', () => two.received.length === all.length);
      assert.deepEqual(two.received, all);
    });

    test('a node gets only what is sent to it', async (t) => {
      const [one, two, three] = [await openNode(t, '1'), await openNode(t, '2'), await openNode(t, '3')];
      await Promise.all([
        one.send('2', 12),
        two.send('3', 23),
        three.send('1', 31),
        one.send('3', 13),
        one.send('4', 14),
      ]);
      await Promise.all([three.send('1', 99), three.send('2', 99), three.send('3', 99)]);
      const expected = [
        [31, 99],
        [12, 99],
        [13, 23, 99],
      ];
      await until('all', () => [one, two, three].every(({ received }, n) => received.length === expected[n]?.length));
      // Messages of different nodes have no order.
      const received = [one, two, three].map((each) => each.received.toSorted((a, b) => a - b));
      assert.deepEqual(received, expected);
    });

    test('what is not understood is ignored', async (t) => {
      const one = await openNode(t, '1');
      for (const payload of ['', '{"v":2}', '1,2,', '-1', '1'.repeat(7_999)]) await rig.sendRaw('1', payload);
      await one.send('1', 5);
      await until('the last message', () => one.received.includes(5));
      assert.deepEqual(one.received, [5]);
      assert.ok(one.bus.isConnected());
    });

    test('the server is killed and comes back: missed, and nothing sent after that is lost', async (t) => {
      const [one, two] = [await openNode(t, '1'), await openNode(t, '2')];
      for (const round of [1, 2]) {
        await rig.kill();
        await until('the loss', () => !one.bus.isConnected() && !two.bus.isConnected());
        await restart();
        await until('both', () => one.missed() >= round && two.missed() >= round);
        const all = Array.from({ length: 100 }, (_, n) => 1_000 * round + n);
        await Promise.all(all.map((n) => one.send('2', n)));
        await until('all', () => two.received.length === all.length * round);
        assert.deepEqual(two.received.slice(-all.length), all);
      }
    });

    test('without a server a node starts all the same', async (t) => {
      await rig.kill();
      const one = await openNode(t, '1');
      assert.ok(!one.bus.isConnected());
      await restart();
      await until('the connection', () => one.bus.isConnected() && one.missed() === 1);
      await one.send('1', 1);
      await until('a message', () => one.received.includes(1));
    });

    test('a cut network is noticed: missed after it', async (t) => {
      const [one, two] = [await openNode(t, '1'), await openCutNode(t, '2')];
      two.relay.silence(true);
      await until('the loss', () => !two.bus.isConnected());
      two.relay.silence(false);
      await until('the connection', () => two.bus.isConnected() && two.missed() > 0);
      // On a slow machine it may be lost once more.
      await until('a message', async () => {
        await one.send('2', 1);
        return two.received.includes(1);
      });
    });

    test('what a node sent while it was cut off is not lost unnoticed', async (t) => {
      const [one, two] = [await openCutNode(t, '1'), await openNode(t, '2')];
      one.relay.silence(true);
      await one.send('2', 1);
      await until('the loss', () => !one.bus.isConnected());
      await one.send('2', 2);
      one.relay.silence(false);
      await until('both', () => two.missed() > 0 || (two.received.includes(1) && two.received.includes(2)));
    });

    test('close releases everything, also without a connection', async (t) => {
      const sockets = () => process.getActiveResourcesInfo().filter((kind) => /TCPSOCKET|TCPSocket/.test(kind)).length;
      const atFirst = sockets();
      const one = await openNode(t, '1');
      const two = await openCutNode(t, '2');
      await one.bus.close();
      assert.ok(!one.bus.isConnected());
      two.relay.silence(true);
      await until('the loss', () => !two.bus.isConnected());
      await two.bus.close();
      two.relay.silence(false);
      await until('no socket of theirs', () => sockets() <= atFirst);
    });
  });
