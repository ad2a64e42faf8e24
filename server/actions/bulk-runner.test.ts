// Bulk work goes on by itself: after kill -9, after a restart, and at another node. Each change leaves a line in the
// audit log: none is missing, and none is there twice.
import assert from 'node:assert/strict';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { startTestCluster } from '../cluster/test-cluster.ts';
import { FakeAgent, scratch } from '../test-agents.ts';
import { onPostgres } from '../store/test-database.ts';
import { testBulk } from '../test-bulk.ts';
import { killableService } from '../test-killable.ts';
import { startTestService } from '../test-service.ts';
import { until } from '../../scripts/test-process.ts';

const at = scratch();
after(() => at.remove());

/** A service in a process of its own that can be killed, with its bulk work and what its audit log says. */
async function killableBulk(name: string) {
  const data = path.join(at.folder, name);
  const service = await killableService(data);
  const { call, start, kill, stop } = service;
  const bulk = testBulk(call);
  return {
    service,
    call,
    bulk,
    /** Kills it up to three times while it does this work. */
    killedWhile: async (id: string, total: number) => {
      for (let kills = 0, before = 0; kills < 3 && before < total; kills++) {
        ({ Done: before } = await until('it to go on', async () => {
          const { Counts } = await bulk.get(id, '?limit=1');
          return Counts.Done > before && Counts;
        }));
        await kill();
        await start();
      }
      return (await bulk.ended(id)).Counts;
    },
    /** What the audit log has of this action, after the end of the service. */
    audited: async (action: string) => {
      await stop();
      const database = new DatabaseSync(path.join(data, 'muster.db'), { readOnly: true });
      const targets = database.prepare('SELECT target FROM audit WHERE action = ?').all(action);
      database.close();
      return targets.map(({ target }) => String(target)).toSorted();
    },
  };
}

test('kill -9 again and again: each device is tagged, and none twice', async () => {
  const { bulk, killedWhile, audited } = await killableBulk('tags');
  const Devices = await bulk.devices(1_000);
  const TagId = await bulk.tag('killed');
  const id = await bulk.begin({ Action: 'tag', Devices, Values: { TagId } });
  assert.deepEqual(await killedWhile(id, 1_000), { Done: 1_000, Failed: 0, Skipped: 0, Left: 0 });
  assert.deepEqual(await audited('tag.attach'), Devices.map((device) => `${TagId} ${device}`).toSorted());
});

test('kill -9 again and again: each tag is undone, and none twice', async () => {
  const { call, bulk, killedWhile, audited } = await killableBulk('undone');
  const Devices = await bulk.devices(1_000);
  const TagId = await bulk.tag('undone');
  const tagged = await bulk.begin({ Action: 'tag', Devices, Values: { TagId } });
  await bulk.ended(tagged);
  const answer = await call('POST', `/v1/bulk/${tagged}/undo`);
  const { BulkId } = (await answer.json()) as { BulkId: string };
  assert.deepEqual(await killedWhile(BulkId, 1_000), { Done: 1_000, Failed: 0, Skipped: 0, Left: 0 });
  assert.deepEqual(await audited('tag.detach'), Devices.map((device) => `${TagId} ${device}`).toSorted());
});

test('kill -9 again and again: each device is created once, and its key is not lost', async () => {
  const { service, bulk, killedWhile, audited } = await killableBulk('new');
  const Devices = Array.from({ length: 1_000 }, (_, index) => ({
    DeviceName: `new-${index}`,
    DeviceGroup: '',
    Tags: [`tag-${index % 7}`],
  }));
  const id = await bulk.begin({ Action: 'create', Devices });
  assert.deepEqual(await killedWhile(id, 1_000), { Done: 1_000, Failed: 0, Skipped: 0, Left: 0 });
  const { Items, Keys = {} } = await bulk.ended(id);
  const ids = Items.map(({ Id }) => Id);
  assert.deepEqual(Object.keys(Keys).toSorted(), ids.toSorted());
  const agent = await FakeAgent.connect(service.url, Keys[ids.at(-1) ?? ''] ?? '');
  await agent.receive('welcome');
  await agent.end();
  assert.equal((await audited('tag.create')).length, 7);
  assert.deepEqual(await audited('device.create'), ids.toSorted());
});

test('kill -9 again and again: each job is archived, and none twice', async () => {
  const { call, bulk, killedWhile, audited } = await killableBulk('jobs');
  const [DeviceId] = await bulk.devices(1);
  const workflow = await call('POST', '/v1/workflow', { Name: 'w', Command: 'true' });
  const { WorkflowId } = (await workflow.json()) as { WorkflowId: string };
  const submit = async () => {
    const response = await call('POST', '/v1/job', { Name: 'job', DeviceId, WorkflowId });
    return ((await response.json()) as { JobId: string }).JobId;
  };
  const Jobs: string[] = [];
  while (Jobs.length < 1_000) Jobs.push(...(await Promise.all(Array.from({ length: 50 }, submit))));
  await bulk.ended(await bulk.begin({ Action: 'stop', Jobs }));
  const counts = await killedWhile(await bulk.begin({ Action: 'archive', Jobs }), 1_000);
  assert.deepEqual(counts, { Done: 1_000, Failed: 0, Skipped: 0, Left: 0 });
  assert.deepEqual(await (await call('GET', '/v1/job')).json(), []);
  assert.equal(((await (await call('GET', '/v1/archive')).json()) as { Total: number }).Total, 1_000);
  assert.deepEqual(await audited('job.archive'), Jobs.toSorted());
});

test('kill -9 while running jobs are stopped before they are deleted: they are deleted all the same', async () => {
  const { service, call, bulk, audited } = await killableBulk('stopping');
  const { fleet } = service;
  const device = await fleet.device();
  const running = await fleet.run('x', { DeviceId: device.id });
  const agent = await FakeAgent.connect(service.url, device.key);
  await agent.receive('run');
  agent.say({ type: 'started', job: running, ago: 0 });
  await fleet.reached(running, 'Running');
  const waiting = await fleet.run('y', { DeviceId: device.id });
  const id = await bulk.begin({ Action: 'delete', Jobs: [running, waiting] });
  await agent.receive('cancel');
  await service.kill();
  await agent.end();
  await service.start();
  const back = await FakeAgent.connect(service.url, device.key, { jobs: [running] });
  await back.receive('cancel');
  back.say({ type: 'ended', job: running, outcome: 'cancelled', reason: 'Stopped.', endedAgo: 0 });
  assert.deepEqual((await bulk.ended(id)).Counts, { Done: 2, Failed: 0, Skipped: 0, Left: 0 });
  for (const job of [running, waiting]) assert.equal((await call('GET', `/v1/job/${job}`)).status, 404);
  await back.end();
  assert.deepEqual(await audited('job.remove'), [running, waiting].toSorted());
});

test('what a stop of the service leaves is done after its next start', async () => {
  const first = await startTestService();
  const Devices = Array.from({ length: 3_000 }, (_, index) => `none-${index}`);
  const id = await testBulk((...request) => first.call(...request)).begin({ Action: 'delete', Devices });
  await first.close();
  const second = await startTestService({}, first.dataDir);
  const { Counts } = await testBulk((...request) => second.call(...request)).ended(id);
  assert.deepEqual(Counts, { Done: 0, Failed: 0, Skipped: 3_000, Left: 0 });
  await second.end();
});

if (onPostgres)
  void test('the leader does what another node began, and a node takes over from a leader that is gone', async () => {
    const cluster = await startTestCluster(2);
    const leader = cluster.nodes.findIndex(({ context }) => context.cluster.isLeader());
    const [one, other] = [cluster.nodes[leader], cluster.nodes[1 - leader]];
    assert.ok(one && other);
    const bulk = testBulk((...request) => other.call(...request));
    const Devices = await bulk.devices(500);
    const TagId = await bulk.tag('nodes');
    await bulk.ended(await bulk.begin({ Action: 'tag', Devices: Devices.slice(0, 10), Values: { TagId } }));

    const id = await bulk.begin({ Action: 'tag', Devices, Values: { TagId } });
    await until('the leader to begin', async () => (await bulk.get(id, '?limit=1')).Counts.Done > 0);
    await one.close();
    const { Counts } = await bulk.ended(id);
    assert.deepEqual(Counts, { Done: 490, Failed: 0, Skipped: 10, Left: 0 });
    await cluster.end();
  });
