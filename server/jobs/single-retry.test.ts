// A job to one device that is tried again: it becomes the first attempt of a parent, which takes its place in the list.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Job } from '#/contract/jobs.ts';
import { FakeAgent } from '../test-agents.ts';
import { testFleet } from '../test-fleet.ts';
import type { TestFleet } from '../test-fleet.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

let service: TestService;
let fleet: TestFleet;
before(async () => {
  service = await startTestService();
  fleet = testFleet((...request) => service.call(...request));
});
after(() => service.end());

const listed = async (since = ''): Promise<{ Version: string; Reset: boolean; Jobs: Job[]; Removed: string[] }> =>
  (await service.call('GET', `/v1/job?since=${since}`)).json() as never;

async function finish(agent: FakeAgent, exitCode: number): Promise<void> {
  const { job } = await agent.receive('run');
  agent.finish(job, exitCode, 'said\n');
  agent.received.length = 0;
}

/** A single job that has failed. */
async function failed(name: string) {
  const device = await fleet.device('', name);
  const WorkflowId = await fleet.workflow('x');
  const agent = await FakeAgent.connect(service.url, device.key);
  const single = await fleet.submit({ DeviceId: device.id, WorkflowId });
  await finish(agent, 9);
  const ended = await fleet.ended(single);
  assert.deepEqual([ended.Status, ended.Attempts, ended.Counts], ['Failed', 1, undefined]);
  const retry = (of: string) => fleet.submit({ DeviceIds: [device.id], RetryOf: of });
  return { device, agent, single, ended, retry };
}

test('the retry is attempt 2 of one job, whose row and figures are those of the last attempt', async () => {
  const { device, agent, single, ended, retry } = await failed('press');
  const { Version } = await listed();
  const parent = await retry(single);
  assert.notEqual(parent, single);
  const row = await fleet.job(parent);
  assert.deepEqual(
    [row.Status, row.Counts, row.Attempts, row.DeviceId, row.DeviceName, row.JobName, row.CreatedTime, row.StartTime],
    ['Waiting', { Waiting: 1 }, 2, '', 'press', ended.JobName, ended.CreatedTime, ended.StartTime],
  );
  const changed = await listed(Version);
  assert.deepEqual([changed.Reset, changed.Removed], [false, [single]]);
  assert.equal(changed.Jobs.find(({ JobId }) => JobId === parent)?.Attempts, 2);
  assert.equal(
    changed.Jobs.some(({ JobId }) => JobId === single),
    false,
  );
  await finish(agent, 0);
  const done = await fleet.ended(parent);
  assert.deepEqual([done.Status, done.Counts, done.Result], ['Succeeded', { Succeeded: 1 }, '1 of 1 succeeded']);
  assert.deepEqual(
    (await fleet.children(parent)).map(({ DeviceId, Attempt, Status }) => [DeviceId, Attempt ?? 1, Status]),
    [
      [device.id, 1, 'Failed'],
      [device.id, 2, 'Succeeded'],
    ],
  );
  const ids = (await fleet.jobs()).map(({ JobId }) => JobId);
  assert.deepEqual([ids.includes(single), ids.includes(parent)], [false, true]);
  agent.socket.close();
});

test('the first attempt stays under its own id, with its output, and is not retried by itself', async () => {
  const { agent, single, retry } = await failed('lathe');
  const parent = await retry(single);
  const first = await fleet.job(single);
  assert.deepEqual(
    [first.ParentJobId, first.Status, first.Stdout, first.ExitCode, first.Attempts],
    [parent, 'Failed', 'said\n', 9, undefined],
  );
  const again = await service.call('POST', '/v1/job', {
    Name: 'again',
    DeviceIds: [first.DeviceId],
    RetryOf: single,
  });
  assert.equal(again.status, 400);
  const audit = await service.call('GET', '/v1/audit?action=job.retry');
  const { Items } = (await audit.json()) as { Items: { Object: string }[] };
  assert.equal(Items[0]?.Object, `${single} ${parent}`);
  assert.match(await again.text(), /is a child itself: RetryOf names its parent/);
  await finish(agent, 9);
  await fleet.ended(parent);
  assert.equal(await retry(parent), parent);
  assert.equal((await fleet.job(parent)).Attempts, 3);
  agent.socket.close();
});

test('a retry that is sent twice with one key makes one parent, and deleting that deletes all attempts', async () => {
  const { device, agent, single } = await failed('saw');
  const body = { Name: 'job', DeviceIds: [device.id], RetryOf: single };
  const send = () => service.call('POST', '/v1/job', body, { 'idempotency-key': 'one-retry-of-a-single-job' });
  const [one, two] = [await send(), await send()].map((answer) => answer.json() as Promise<{ JobId: string }>);
  const { JobId: parent } = await one!;
  assert.equal((await two!).JobId, parent);
  assert.equal((await fleet.children(parent)).length, 2);
  await finish(agent, 0);
  await fleet.ended(parent);
  await fleet.remove(parent);
  for (const id of [parent, single]) assert.equal((await service.call('GET', `/v1/job/${id}`)).status, 404);
  agent.socket.close();
});
