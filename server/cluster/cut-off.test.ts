// A node whose packets to PostgreSQL are dropped: nothing is closed, and nothing arrives.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openRelay } from '../../scripts/chaos/relay.ts';
import type { Relay } from '../../scripts/chaos/relay.ts';
import { until } from '../../scripts/test-process.ts';
import { onPostgres } from '../store/test-database.ts';
import { FakeAgent } from '../test-agents.ts';
import { TestStream } from '../test-events.ts';
import { startTestCluster } from './test-cluster.ts';
import type { TestCluster, TestNode } from './test-cluster.ts';

let cluster: TestCluster;
let relay: Relay;
let here: TestNode;
/** The node that is cut off. */
let there: TestNode;
if (onPostgres) {
  before(async () => {
    // Longer than any test: the other node never takes this one for dead.
    cluster = await startTestCluster(1, { leaseMs: 600_000 });
    [here] = cluster.nodes as [TestNode];
    const url = new URL(here.context.config.databaseUrl ?? '');
    relay = await openRelay([Number(url.port)]);
    url.port = new URL(relay.url).port;
    there = await cluster.join({ DATABASE_URL: url.href });
  });
  after(async () => {
    relay.silence(false);
    await cluster.end();
    await relay.close();
  });

  void test('a node without its database is not ready, answers 503, and sends agents and dashboards away', async () => {
    const { id, key } = await here.fleet.device();
    const agent = await FakeAgent.connect(there.url, key);
    await agent.receive('welcome');
    const stream = await TestStream.open(there);
    relay.silence(true);
    const waiting = there.call('GET', '/v1/devices/1/25');
    const closed = await until('the end of the connection', () => agent.closed);
    assert.deepEqual([closed.code, closed.reason], [1001, 'This node cannot reach its database']);
    await stream.over();
    for (const answer of [await waiting, await there.call('GET', '/v1/account'), await there.call('GET', '/readyz')])
      assert.deepEqual([answer.status, Number(answer.headers.get('Retry-After')) > 0], [503, true]);
    const write = await there.call('POST', '/v1/devices', { DeviceName: 'x', DeviceGroup: '' });
    assert.equal(write.status, 503);
    assert.equal((await there.call('GET', '/healthz')).status, 200);
    const refused = await FakeAgent.connect(there.url, key).catch(() => undefined);
    assert.equal(refused, undefined);

    const back = await FakeAgent.connect(here.url, key);
    await back.receive('welcome');
    const job = await here.fleet.run('x', { DeviceId: id });
    back.finish((await back.receive('run')).job);
    assert.equal((await here.fleet.ended(job)).Status, 'Succeeded');
    await back.end();
  });

  void test('when packets pass again it serves, and an agent that did not come back is Offline', async () => {
    relay.silence(false);
    await until('the node to be ready', async () => (await there.call('GET', '/readyz')).status === 200);
    const { id, key } = await there.fleet.device();
    const agent = await FakeAgent.connect(there.url, key);
    await agent.receive('welcome');
    relay.silence(true);
    await until('the end of the connection', () => agent.closed);
    assert.equal(await here.fleet.status(id), 'Online', 'nobody could note it');
    relay.silence(false);
    await until('the device to be Offline', async () => (await here.fleet.status(id)) === 'Offline');
    assert.equal((await there.call('GET', '/v1/devices/1/25')).status, 200);
  });
}
