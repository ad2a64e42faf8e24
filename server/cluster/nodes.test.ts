// The registry of nodes: a busy node stays, one that is gone has no devices, and one node leads.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { FakeAgent } from '../test-agents.ts';
import { until } from '../../scripts/test-process.ts';
import { onPostgres } from '../store/test-database.ts';
import { FAST, startTestCluster } from './test-cluster.ts';
import type { TestCluster, TestNode } from './test-cluster.ts';

const onServer = (name: string, run: () => Promise<void>) => {
  if (onPostgres) void test(name, run);
};

let cluster: TestCluster;
let here: TestNode;
let there: TestNode;
if (onPostgres) {
  before(async () => {
    cluster = await startTestCluster(2);
    [here, there] = cluster.nodes as [TestNode, TestNode];
  });
  after(() => cluster.end());
}

/** A device whose agent is connected to the other node. */
async function deviceThere() {
  const device = await here.fleet.device();
  const agent = await FakeAgent.connect(there.url, device.key);
  await agent.receive('welcome');
  return { ...device, agent };
}

onServer('nodes stay while a unit of work, and the lock of all that write, take longer than a lease', async () => {
  const { id, agent } = await deviceThere();
  const { db } = here.context;
  const leases = async () =>
    new Map(
      (await db.all<{ id: string; expires: number }>('SELECT id, expires FROM nodes')).map((n) => [n.id, n.expires]),
    );
  const unit = Promise.withResolvers<void>();
  const writing = db.write(async (tx) => {
    await tx.get('SELECT 1');
    await unit.promise;
  });
  try {
    const held = await leases();
    for (const { context } of [here, there]) {
      const first = held.get(context.cluster.id) ?? Number.NaN;
      await until('a renewal after that lease', async () => {
        const renewed = (await leases()).get(context.cluster.id);
        return renewed !== undefined && renewed > first + FAST.leaseMs;
      });
    }
  } finally {
    unit.resolve();
    await writing;
  }
  assert.equal(await here.fleet.status(id), 'Online');
  assert.equal(agent.closed, undefined);
  await agent.end();
});

onServer('a node whose row was removed registers again, and its agents connect again', async () => {
  const { agent } = await deviceThere();
  const node = there.context.cluster.id;
  await here.context.db.write((tx) => tx.run('DELETE FROM nodes WHERE id = ?', node));
  await until('the end of the connection', () => agent.closed);
  assert.ok(await here.context.cluster.urlOf(node));
});

onServer('all devices of a node that is gone are Offline, more than one unit of work marks', async () => {
  const { db } = here.context;
  const { id } = await here.fleet.device();
  await db.write((tx) =>
    tx.run(
      `INSERT INTO devices (account_id, id, key_hash, name, name_folded, grp, created, online, node)
       SELECT account_id, 'gone-' || n, decode(md5('gone-' || n), 'hex'), name, name_folded, grp, created, 1, 'gone'
       FROM devices CROSS JOIN generate_series(1, 4001) AS n WHERE id = ?`,
      id,
    ),
  );
  const live = await deviceThere();
  await db.write((tx) => tx.run("INSERT INTO nodes (id, url, secret_proof, expires) VALUES ('gone', '', '', 0)"));
  await until('no device of it to be Online', async () => {
    const online = await db.get<{ n: number }>("SELECT count(*) AS n FROM devices WHERE online = 1 AND node = 'gone'");
    return online?.n === 0;
  });
  assert.equal(await here.fleet.status(live.id), 'Online');
  await live.agent.end();
});

onServer('one node leads; when it stops, another does', async () => {
  const leaders = () => cluster.nodes.filter(({ context }) => context.cluster.isLeader());
  assert.equal(leaders().length, 1);
  const third = await cluster.join();
  assert.equal(leaders().length, 1);
  await third.close();
  cluster.nodes.pop();
  await until('a leader', () => leaders().length === 1);
});

onServer('a node with another secret is refused, and one without it', async () => {
  await assert.rejects(() => cluster.join({ CLUSTER_SECRET: 'x'.repeat(40) }), /with another CLUSTER_SECRET/);
  await assert.rejects(() => cluster.join({ CLUSTER_SECRET: '' }), /give all nodes the same CLUSTER_SECRET/);
});

onServer('a standing order gives each device one job, also when the node that leads stops', async () => {
  const own = await startTestCluster(2);
  try {
    const [one] = own.nodes as [TestNode];
    const ArtifactId = await one.fleet.artifact('myapp.sh', '1.0');
    await one.fleet.device('ordered');
    const order = { DeviceGroup: 'ordered', ArtifactId };
    assert.equal((await one.call('PUT', '/v1/orders/ordered', order)).status, 200);
    const jobsOfDevices = async ({ context: { db } }: TestNode) =>
      (
        await db.all<{ jobs: number }>(
          'SELECT count(*) AS jobs FROM jobs WHERE parent_seq IS NOT NULL GROUP BY device_id',
        )
      ).map(({ jobs }) => jobs);
    await until('its job', async () => (await jobsOfDevices(one)).length === 1);
    const leading = own.nodes.findIndex(({ context }) => context.cluster.isLeader());
    for (const gone of own.nodes.splice(leading, 1)) await gone.close();
    const [left] = own.nodes as [TestNode];
    await left.fleet.device('ordered');
    await left.fleet.device('ordered');
    await until('jobs of the newcomers', async () => (await jobsOfDevices(left)).length === 3);
    assert.deepEqual(await jobsOfDevices(left), [1, 1, 1]);
  } finally {
    await own.end();
  }
});
