// Agents that speak HTTP and several nodes: their requests may arrive at any of them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { until } from '../../scripts/test-process.ts';
import { FakeAgent } from '../test-agents.ts';
import { HttpAgent } from '../test-http-agent.ts';
import { onPostgres } from '../store/test-database.ts';
import { startTestCluster } from './test-cluster.ts';
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

const said = ({ status, text }: { status: number; text: string }) => `${status} ${text}`.trim();

onServer('a session serves requests that arrive at another node', async () => {
  const { id, key } = await here.fleet.device();
  const agent = await HttpAgent.connect(here.url, key);
  const elsewhere = agent.at(there.url);
  const waiting = elsewhere.next();
  const job = await there.fleet.run('true', { DeviceId: id });
  assert.equal(said(await waiting), `200 job ${job} 3600\n\ntrue`);
  assert.equal(said(await elsewhere.taken(job)), '200 run');
  assert.equal(said(await agent.output(job, 0, 'here ')), '200 next 5');
  assert.equal(said(await elsewhere.output(job, 5, 'and there')), '200 next 14');
  assert.equal(said(await elsewhere.output(job, 99, 'hole')), '409 next 14');
  assert.equal(said(await elsewhere.ended(job, 'exit=0')), '200 ok');
  const { Status, Stdout } = await here.fleet.job(job);
  assert.deepEqual([Status, Stdout], ['Succeeded', 'here and there']);
  assert.equal((await elsewhere.next(0)).status, 204);
  assert.equal((await elsewhere.facts(['rack=7'])).status, 204);
  const { Items } = (await (await here.call('GET', `/v1/device/${id}/facts`)).json()) as { Items: { Name: string }[] };
  assert.deepEqual(
    Items.map(({ Name }) => Name),
    ['rack'],
  );
});

onServer('a newer hello at another node, by either way, ends the session', async () => {
  const { key } = await here.fleet.device();
  const first = await HttpAgent.connect(here.url, key);
  const waiting = first.next();
  const second = await HttpAgent.connect(there.url, key);
  assert.match(said(await waiting), /^409 replaced: /);
  assert.match(said(await first.at(there.url).next(0)), /^409 replaced: /);
  const socket = await FakeAgent.connect(here.url, key);
  await socket.receive('welcome');
  assert.match(said(await second.next()), /^409 replaced: /);
  await socket.end();
});

onServer('a key that is used at another node ends the old one at the node of the session', async () => {
  const { id, key } = await here.fleet.device();
  const agent = await HttpAgent.connect(here.url, key);
  assert.equal((await there.call('POST', `/v1/device/${id}/rotate-key`)).status, 200);
  const [, next = ''] = /^200 key (\S+)$/.exec(said(await agent.next())) ?? [];
  const elsewhere = agent.at(there.url);
  elsewhere.key = next;
  assert.equal((await elsewhere.next(0)).status, 204);
  await until('the old key to end', async () => (await agent.next(0)).status === 401);
  agent.key = next;
  assert.equal((await agent.next(0)).status, 204);
});

onServer('a stop that is asked at another node reaches the agent', async () => {
  const { id, key } = await here.fleet.device();
  const agent = await HttpAgent.connect(here.url, key);
  const job = await here.fleet.run('true', { DeviceId: id });
  await agent.next();
  await agent.taken(job);
  const waiting = agent.next(20, job);
  await there.fleet.stop(job);
  assert.equal(said(await waiting), `200 stop ${job}`);
  await agent.ended(job, 'how=stopped');
});

onServer('after its node has gone, an agent is asked for another hello by the others', async () => {
  const extra = await cluster.join();
  const { id, key } = await here.fleet.device();
  const agent = await HttpAgent.connect(extra.url, key);
  const job = await here.fleet.run('true', { DeviceId: id });
  await agent.next();
  await agent.taken(job);
  await extra.close();
  cluster.nodes.splice(cluster.nodes.indexOf(extra), 1);
  const moved = agent.at(there.url);
  await until('the others to know', async () => said(await moved.next(0)).startsWith('409 hello: '));
  await moved.hello([`job=${job}`]);
  assert.equal(said(await moved.ended(job, 'exit=0')), '200 ok');
  assert.equal((await here.fleet.job(job)).Status, 'Succeeded');
});

onServer('what no node has sent is refused where nodes forward requests', async () => {
  const { key } = await here.fleet.device();
  const agent = await HttpAgent.connect(here.url, key);
  const forged = await fetch(`${here.url}/node/agent/next?wait=0`, {
    headers: { 'Muster-Device': '1', 'Muster-Session': agent.session, Authorization: `Bearer ${key}` },
  });
  assert.equal(forged.status, 403);
});

onServer('a new key that is used at another node ends the old one at each', async () => {
  const { id, key } = await here.fleet.device();
  const agent = await HttpAgent.connect(here.url, key);
  const waiting = agent.next();
  assert.equal((await there.call('POST', `/v1/device/${id}/rotate-key`)).status, 200);
  const [, next = ''] = /^200 key (\S+)$/.exec(said(await waiting)) ?? [];
  const moved = agent.at(there.url);
  moved.key = next;
  assert.equal(said(await moved.next(0)), '204');
  assert.equal((await agent.at(there.url).next(0)).status, 401);
  await until('its node to know', async () => (await agent.next(0)).status === 401);
  const back = moved.at(here.url);
  assert.equal(said(await back.next(0)), '204');
  assert.equal(await here.fleet.status(id), 'Online');
});

onServer('an agent takes its new key to another node', async () => {
  const { id, key } = await here.fleet.device();
  const agent = await FakeAgent.connect(here.url, key, { newKey: { unable: '' } });
  await agent.receive('welcome');
  assert.equal((await there.call('POST', `/v1/device/${id}/rotate-key`)).status, 200);
  const { key: next } = await agent.receive('key');
  const moved = await FakeAgent.connect(there.url, next, { newKey: { unable: '' } });
  await moved.receive('welcome');
  await until('the older one to be closed', () => agent.closed);
  assert.equal(await HttpAgent.connect(here.url, key).catch(() => undefined), undefined);
  assert.equal(await here.fleet.status(id), 'Online');
  await moved.end();
});
