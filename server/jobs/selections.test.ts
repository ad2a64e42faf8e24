// A job to a list of devices, and its further attempts: one parent, whose figures count each device once.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Job } from '#/contract/jobs.ts';
import type { ProblemBody } from '#/contract/problem.ts';
import { until } from '../../scripts/test-process.ts';
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

const devices = (...names: string[]) => fleet.devices('', names);
const refused = async (body: object, status: number): Promise<string> => {
  const response = await service.call('POST', '/v1/job', { Name: 'again', ...body });
  const text = await response.text();
  assert.equal(response.status, status, text);
  const { title, detail = '' } = JSON.parse(text) as ProblemBody;
  return `${title}. ${detail}`;
};
const finish = async (agent: FakeAgent, exitCode: number, output = '') => {
  const { job } = await agent.receive('run');
  agent.finish(job, exitCode, output);
  agent.received.length = 0;
  return job;
};
const attempts = (children: Job[]) =>
  children.map(({ DeviceName, Attempt, Status }) => `${DeviceName} ${Attempt ?? 1} ${Status}`).toSorted();

/** A parent on two devices, which has succeeded on the first and failed on the second. */
async function halfFailed() {
  const [good, bad] = await devices('good', 'bad');
  assert.ok(good && bad);
  const WorkflowId = await fleet.workflow('x');
  const parent = await fleet.submit({ DeviceIds: [good.id, bad.id], WorkflowId });
  const agents = {
    good: await FakeAgent.connect(service.url, good.key),
    bad: await FakeAgent.connect(service.url, bad.key),
  };
  await Promise.all([finish(agents.good, 0), finish(agents.bad, 9, 'full\n')]);
  const ended = await fleet.ended(parent);
  assert.deepEqual([ended.Status, ended.Result], ['Failed', '1 of 2 succeeded, 1 failed']);
  const close = () => {
    agents.good.socket.close();
    agents.bad.socket.close();
  };
  return { parent, WorkflowId, good, bad, agents, close };
}

test('a list of devices is one parent with a child each, in the order of the devices', async () => {
  const ids = (await devices('one', 'two', 'three')).map(({ id }) => id);
  const WorkflowId = await fleet.workflow('x');
  const listed = (await service.call('GET', '/v1/devices/1/1000').then((response) => response.json())) as {
    Devices: { DeviceId: string }[];
  };
  const order = listed.Devices.map(({ DeviceId }) => DeviceId).filter((id) => ids.includes(id));
  const id = await fleet.submit({ DeviceIds: [...ids.toReversed(), ...ids], WorkflowId });
  const { Counts, DeviceId, DeviceGroup, TagId, Status } = await fleet.job(id);
  assert.deepEqual(
    [Counts, DeviceId, DeviceGroup, TagId, Status],
    [{ Waiting: 3 }, '', undefined, undefined, 'Waiting'],
  );
  assert.deepEqual(
    (await fleet.children(id)).map((child) => child.DeviceId),
    order,
  );
  const single = await fleet.submit({ DeviceIds: [ids[0]], WorkflowId });
  assert.equal((await fleet.children(single)).length, 1);
});

test('a list with unknown devices is refused whole, with the first of them', async () => {
  const [known] = await devices('known');
  const WorkflowId = await fleet.workflow('x');
  const count = (await fleet.jobs()).length;
  assert.match(await refused({ DeviceIds: [known?.id, 'nobody'], WorkflowId }, 404), /One of the devices.*nobody/);
  const ghosts = Array.from({ length: 9 }, (_, n) => `ghost-${n}`);
  assert.match(
    await refused({ DeviceIds: [known?.id, ...ghosts], WorkflowId }, 404),
    /^9 devices do not exist.*ghost-0, .*ghost-4 and 4 more\. Nothing was submitted/,
  );
  assert.match(await refused({ DeviceIds: [], WorkflowId }, 400), /DeviceIds must name a device/);
  assert.match(await refused({ DeviceIds: [known?.id], DeviceId: known?.id, WorkflowId }, 400), /exactly one target/);
  const many = Array.from({ length: 50_001 }, () => known?.id);
  assert.match(await refused({ DeviceIds: many, WorkflowId }, 400), /at most 50000 devices/);
  assert.equal((await fleet.jobs()).length, count);
});

test('a list may be longer than 1 MB, and any other body may not', async () => {
  const [known] = await devices('known');
  const WorkflowId = await fleet.workflow('x');
  const DeviceIds = Array.from({ length: 2_000 }, () => (known?.id ?? '').padEnd(600, '-'));
  assert.match(await refused({ DeviceIds, WorkflowId }, 400), /DeviceIds/);
  assert.match(await refused({ Name: 'x'.repeat(5 * 1024 * 1024) }, 413), /at most 4 MB/);
  const other = await service.call('POST', '/v1/workflow', { Name: 'w', Command: 'x'.repeat(2 * 1024 * 1024) });
  assert.equal(other.status, 413);
});

test('a retry belongs to its parent, whose figures count each device by its last attempt', async () => {
  const { parent, bad, agents, close } = await halfFailed();
  assert.equal(await fleet.submit({ DeviceIds: [bad.id], RetryOf: parent }), parent);
  const open = await fleet.job(parent);
  assert.equal(open.EndTime, '');
  assert.equal(open.Counts?.['Failed'], undefined);
  assert.equal(open.Attempts, 2);
  await finish(agents.bad, 0, 'done\n');
  const ended = await fleet.ended(parent);
  assert.deepEqual([ended.Status, ended.Counts, ended.Result], ['Succeeded', { Succeeded: 2 }, '2 of 2 succeeded']);
  const children = await fleet.children(parent);
  assert.deepEqual(attempts(children), ['bad 1 Failed', 'bad 2 Succeeded', 'good 1 Succeeded']);
  assert.deepEqual(
    children.map(({ ParentJobId, JobName }) => [ParentJobId, JobName]),
    children.map(() => [parent, 'job']),
  );
  assert.equal((await fleet.jobs()).filter(({ JobId }) => JobId === parent).length, 1);
  close();
});

test('a retry is refused whole where an attempt has not ended, or the device was not in the parent', async () => {
  const { parent, good, bad, close, WorkflowId } = await halfFailed();
  close();
  const [other] = await devices('other');
  await fleet.submit({ DeviceIds: [bad.id], RetryOf: parent });
  const again = await refused({ DeviceIds: [good.id, bad.id], RetryOf: parent }, 409);
  assert.match(again, /has not ended on one of these devices.*"bad"/);
  assert.match(await refused({ DeviceIds: [other?.id], RetryOf: parent }, 400), /was not for this device.*"other"/);
  assert.match(await refused({ RetryOf: parent }, 400), /needs exactly one target/);
  assert.match(await refused({ DeviceId: good.id, RetryOf: parent }, 400), /needs DeviceIds with RetryOf/);
  const child = (await fleet.children(parent))[0]?.JobId;
  assert.match(await refused({ DeviceIds: [good.id], RetryOf: child }, 400), /is a child itself/);
  const single = await fleet.submit({ DeviceId: good.id, WorkflowId });
  assert.match(await refused({ DeviceIds: [good.id], RetryOf: single }, 409), /has not ended on one of these devices/);
  assert.match(await refused({ DeviceIds: [bad.id], RetryOf: single }, 400), /was not for this device/);
  assert.equal((await fleet.job(single)).ParentJobId, undefined);
  const another = await fleet.workflow('y');
  const wrong = { DeviceIds: [good.id], RetryOf: parent, WorkflowId: another };
  assert.match(await refused(wrong, 400), /ran something else/);
  assert.equal((await fleet.children(parent)).length, 3);
  await fleet.remove(parent);
  await refused({ DeviceIds: [good.id], RetryOf: parent }, 404);
});

test('a retry that arrives twice with one key is one attempt', async () => {
  const { parent, bad, close } = await halfFailed();
  close();
  const send = () =>
    service.call(
      'POST',
      '/v1/job',
      { Name: 'job', DeviceIds: [bad.id], RetryOf: parent },
      { 'Idempotency-Key': `retry of ${parent}` },
    );
  for (const response of [await send(), await send()]) assert.equal(((await response.json()) as Job).JobId, parent);
  assert.deepEqual(attempts(await fleet.children(parent)), ['bad 1 Failed', 'bad 2 Waiting', 'good 1 Succeeded']);
});

test('when the last attempt is deleted, the one before it counts again; an earlier one changes nothing', async () => {
  const { parent, bad, agents, close } = await halfFailed();
  for (const exitCode of [8, 0]) {
    await fleet.submit({ DeviceIds: [bad.id], RetryOf: parent });
    await finish(agents.bad, exitCode);
    await fleet.ended(parent);
  }
  const of = async (attempt: number) =>
    (await fleet.children(parent)).find(({ DeviceId, Attempt = 1 }) => DeviceId === bad.id && Attempt === attempt)
      ?.JobId ?? '';
  await fleet.remove(await of(1));
  assert.deepEqual((await fleet.job(parent)).Counts, { Succeeded: 2 });
  await fleet.remove(await of(3));
  const { Counts, Result, Status } = await fleet.job(parent);
  assert.deepEqual([Status, Counts, Result], ['Failed', { Succeeded: 1, Failed: 1 }, '1 of 2 succeeded, 1 failed']);
  await fleet.remove(await of(2));
  assert.deepEqual((await fleet.job(parent)).Counts, { Succeeded: 1 });
  close();
});

test('a stop cancels the attempts that wait, and a later retry is not stopped', async () => {
  const { parent, bad, agents, close } = await halfFailed();
  agents.bad.socket.close();
  await until('the agent to be away', async () => (await fleet.status(bad.id)) === 'Offline');
  await fleet.submit({ DeviceIds: [bad.id], RetryOf: parent });
  assert.equal((await fleet.job(parent)).WaitingOffline, 1);
  assert.deepEqual(await fleet.stop(parent), { Cancelled: 1, Stopping: 0 });
  assert.deepEqual((await fleet.job(parent)).Counts, { Succeeded: 1, Cancelled: 1 });
  await fleet.submit({ DeviceIds: [bad.id], RetryOf: parent });
  assert.equal((await fleet.job(parent)).StopTime, '');
  const back = await FakeAgent.connect(service.url, bad.key);
  await finish(back, 0);
  assert.deepEqual((await fleet.ended(parent)).Counts, { Succeeded: 2 });
  assert.equal((await fleet.children(parent)).length, 4);
  back.socket.close();
  close();
});

test('a parent of several attempts is deleted with all of them', async () => {
  const { parent, bad, close } = await halfFailed();
  close();
  await until('the agent to be away', async () => (await fleet.status(bad.id)) === 'Offline');
  await fleet.submit({ DeviceIds: [bad.id], RetryOf: parent });
  const children = await fleet.children(parent);
  await fleet.remove(parent);
  for (const { JobId } of children) assert.equal((await service.call('GET', `/v1/job/${JobId}`)).status, 404);
});
