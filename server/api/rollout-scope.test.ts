// A role that is limited to device groups sees its part of a rollout, steers only rollouts whose devices are all in its
// groups, and has standing orders for these groups alone.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Job } from '#/contract/jobs.ts';
import type { Rollout, RolloutDevice, RolloutRun, RolloutSummary } from '#/contract/rollouts.ts';
import type { OrderedDevice, StandingOrder } from '#/contract/standing-orders.ts';
import { until } from '../../scripts/test-process.ts';
import { FakeAgent } from '../test-agents.ts';
import { testBulk } from '../test-bulk.ts';
import { testFleet } from '../test-fleet.ts';
import type { TestFleet } from '../test-fleet.ts';
import { limitedCaller } from '../test-limited.ts';
import type { LimitedCaller } from '../test-limited.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

let service: TestService;
let fleet: TestFleet;
let own: LimitedCaller;
let deployer: LimitedCaller;
const agents: FakeAgent[] = [];
const ids = { mine: '', idle: '', theirs: '', gone: '', tag: '', artifact: '', workflow: '' };
const rollouts = { mixed: '', own: '', foreign: '', workflow: '' };
const foreign: string[] = [];

const ROLLOUT = {
  Waves: [{ Percent: 100 }],
  Gate: { SuccessPercent: 100, OnlineMinutes: 0, TimeoutMinutes: 60 },
  PauseAfter: { FailedCount: 0 },
  Advance: 'auto',
};
const LATER = { StartTime: '2100-01-01T00:00:00Z' };

const call = (method: string, path: string, body?: unknown) => service.call(method, path, body);
const json = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
  const answer = await call(method, path, body);
  const text = await answer.text();
  assert.equal(answer.status, 200, `${method} ${path}: ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
};
const begin = async (draft: object) =>
  (await json<{ RolloutId: string }>('POST', '/v1/rollout', { ...ROLLOUT, ...draft })).RolloutId;
const whole = (id: string) => json<Rollout>('GET', `/v1/rollout/${id}`);

before(async () => {
  service = await startTestService();
  fleet = testFleet(call);
  const mine = await fleet.device('anchor', 'anchor-press');
  const idle = await fleet.device('anchor', 'anchor-pump');
  const theirs = await fleet.device('bramble', 'bramble-press');
  Object.assign(ids, { mine: mine.id, idle: idle.id, theirs: theirs.id });
  ids.tag = await testBulk(call).tag('shared');
  for (const id of [mine.id, theirs.id]) await call('POST', `/v1/devices/${id}/tag/${ids.tag}`);
  ids.artifact = await fleet.artifact('app.sh', '1.0');
  ids.workflow = await fleet.workflow('true');
  for (const { key } of [mine, theirs]) {
    const agent = await FakeAgent.connect(service.url, key);
    await agent.receive('welcome');
    agents.push(agent);
  }
  foreign.push('bramble', theirs.id, 'elsewhere');

  rollouts.mixed = await begin({ Name: 'both', DeviceIds: [mine.id, theirs.id], ArtifactId: ids.artifact });
  for (const [at, agent] of agents.entries()) {
    const { job } = await agent.receive('run');
    if (at === 1) foreign.push(job);
    agent.finish(job, at === 0 ? 0 : 7);
  }
  const paused = await until('the rollout to pause', async () => {
    const row = await whole(rollouts.mixed);
    return row.State === 'Paused' && row;
  });
  assert.match(paused.Because, /1 of 2 devices failed/);
  rollouts.own = await begin({ Name: 'own', DeviceGroup: 'anchor', ArtifactId: ids.artifact, ...LATER });
  rollouts.workflow = await begin({ Name: 'shell', DeviceGroup: 'anchor', WorkflowId: ids.workflow, ...LATER });
  rollouts.foreign = await begin({ Name: 'elsewhere', DeviceGroup: 'bramble', ArtifactId: ids.artifact, ...LATER });
  foreign.push(rollouts.foreign);
  await json('PUT', '/v1/orders/anchor%20app', { DeviceGroup: 'anchor', ArtifactId: ids.artifact });
  await json('PUT', '/v1/orders/elsewhere', { DeviceGroup: 'bramble', ArtifactId: ids.artifact });
  own = await limitedCaller(service, { role: 'Operator', groups: ['anchor'] }, foreign);
  deployer = await limitedCaller(service, { role: 'Deployer', groups: ['anchor'] }, foreign);
});
after(async () => {
  for (const agent of agents) await agent.end();
  await service.end();
});

test('a rollout across groups has the devices and figures of the groups alone', async () => {
  const listed = await own.json<RolloutSummary[]>('GET', '/v1/rollout');
  assert.deepEqual(listed.map(({ Name }) => Name).toSorted(), ['both', 'own', 'shell']);
  const mixed = listed.find(({ Name }) => Name === 'both');
  assert.deepEqual([mixed?.Devices, mixed?.Counts], [1, { Succeeded: 1 }]);
  const row = await own.json<Rollout>('GET', `/v1/rollout/${rollouts.mixed}`);
  const [wave] = row.Waves;
  assert.deepEqual([wave?.Devices, wave?.Counts, wave?.Gate.Success, wave?.Gate.Needed], [1, { Succeeded: 1 }, 1, 1]);
  assert.equal(row.Because, 'The reason is not shown, because it also concerns devices outside your groups');
  assert.deepEqual(
    row.Steps.map(({ Text, Reason }) => [Text, Reason]),
    [
      ['Paused', ''],
      ['Wave 1 began', ''],
      ['Created', ''],
    ],
  );
  const { Items } = await own.json<{ Items: RolloutDevice[] }>('GET', `/v1/rollout/${rollouts.mixed}/devices`);
  assert.deepEqual(
    Items.map(({ DeviceId, State }) => [DeviceId, State]),
    [[ids.mine, 'Succeeded']],
  );
  const states = await own.json<{ DeviceIds: string[] }[]>('GET', `/v1/rollout/${rollouts.mixed}/states`);
  assert.deepEqual(
    states.flatMap(({ DeviceIds }) => DeviceIds),
    [ids.mine],
  );
  const runs = await own.json<RolloutRun[]>('GET', `/v1/rollout/${rollouts.mixed}/runs`);
  assert.deepEqual(
    runs.map(({ DeviceId, Wave, State }) => [DeviceId, Wave, State]),
    [[ids.mine, 1, 'Succeeded']],
  );
  assert.deepEqual((await whole(rollouts.mixed)).Counts, { Succeeded: 1, Failed: 1 });
});

test('a rollout within the groups is seen whole', async () => {
  assert.deepEqual(await own.json('GET', `/v1/rollout/${rollouts.own}`), await whole(rollouts.own));
});

test('a rollout elsewhere is not there', async () => {
  for (const path of ['', '/devices', '/states', '/runs'])
    assert.equal(await own.status('GET', `/v1/rollout/${rollouts.foreign}${path}`), 404, path);
  for (const step of ['pause', 'resume', 'advance', 'retry', 'abort', 'rollback'])
    assert.equal(await own.status('POST', `/v1/rollout/${rollouts.foreign}/${step}`, { Version: 1 }), 404, step);
  const skip = { Version: 1, DeviceIds: [ids.theirs] };
  assert.equal(await own.status('POST', `/v1/rollout/${rollouts.foreign}/skip`, skip), 404);
  assert.equal(await own.status('DELETE', `/v1/rollout/${rollouts.foreign}`), 404);
  assert.equal((await whole(rollouts.foreign)).State, 'Scheduled');
});

test('a rollout across groups is steered by unlimited roles', async () => {
  const { Version } = await whole(rollouts.mixed);
  for (const step of ['resume', 'advance', 'retry', 'abort', 'rollback'])
    assert.equal(await own.status('POST', `/v1/rollout/${rollouts.mixed}/${step}`, { Version }), 403, step);
  const retry = { Version, DeviceIds: [ids.mine] };
  assert.equal(await own.status('POST', `/v1/rollout/${rollouts.mixed}/retry`, retry), 403);
  const skip = { Version, DeviceIds: [ids.mine] };
  assert.equal(await own.status('POST', `/v1/rollout/${rollouts.mixed}/skip`, skip), 403);
  assert.equal(await own.status('DELETE', `/v1/rollout/${rollouts.mixed}`), 403);
  assert.equal((await whole(rollouts.mixed)).Version, Version);
});

test('a rollout within the groups is steered', async () => {
  const step = async (name: string) => {
    const { Version } = await whole(rollouts.own);
    return own.status('POST', `/v1/rollout/${rollouts.own}/${name}`, { Version });
  };
  assert.deepEqual([await step('pause'), await step('resume'), await step('abort')], [200, 200, 200]);
  assert.equal(await own.status('DELETE', `/v1/rollout/${rollouts.own}`), 200);
});

test('a rollout of a workflow goes on only by those who may have its shell', async () => {
  const step = async (name: string) => {
    const { Version } = await whole(rollouts.workflow);
    return deployer.status('POST', `/v1/rollout/${rollouts.workflow}/${name}`, { Version });
  };
  assert.equal(await step('pause'), 200);
  assert.deepEqual([await step('resume'), await step('advance'), await step('retry')], [403, 403, 403]);
  const draft = { ...ROLLOUT, Name: 'attack', DeviceGroup: 'anchor', WorkflowId: ids.workflow };
  assert.equal(await deployer.status('POST', '/v1/rollout', draft), 403);
  assert.equal(await step('abort'), 200);
});

test('every device of a new rollout has to be inside, when it is planned and when it begins', async () => {
  const earlier = (await json<object[]>('GET', '/v1/rollout')).length;
  const draft = { ...ROLLOUT, Name: 'attack', ArtifactId: ids.artifact };
  for (const [target, status] of [
    [{ DeviceGroup: 'bramble' }, 400],
    [{ DeviceGroup: 'bramble', IncludeNew: true }, 400],
    [{ DeviceIds: [ids.mine, ids.theirs] }, 403],
    [{ DeviceIds: [ids.theirs] }, 403],
    [{ TagId: ids.tag }, 403],
    [{ TagId: ids.tag, IncludeNew: true }, 403],
  ] as const)
    for (const path of ['/v1/rollout', '/v1/rollout/plan'])
      assert.equal(await own.status('POST', path, { ...draft, ...target }), status, JSON.stringify(target));
  const waves = { Waves: [{ DeviceIds: [ids.theirs] }, { Percent: 100 }] };
  const plan = await own.json<{ Waves: { Devices: string[] }[] }>('POST', '/v1/rollout/plan', {
    ...draft,
    ...waves,
    DeviceGroup: 'anchor',
  });
  assert.deepEqual(plan.Waves.flatMap(({ Devices }) => Devices).toSorted(), [ids.idle, ids.mine].toSorted());
  assert.equal((await json<object[]>('GET', '/v1/rollout')).length, earlier);
});

test('a device that is deleted or moved does not lock its rollout, but hides what it may name', async () => {
  const gone = await fleet.device('anchor', 'anchor-gone');
  const moved = await fleet.device('anchor', 'anchor-moved');
  const RolloutId = await begin({
    Name: 'shrinking',
    DeviceIds: [ids.idle, gone.id],
    ArtifactId: ids.artifact,
    ...LATER,
  });
  await json('DELETE', `/v1/devices/${gone.id}`);
  const seen = await own.json<Rollout>('GET', `/v1/rollout/${RolloutId}`);
  assert.equal(seen.Devices, 1);
  assert.equal(await own.status('POST', `/v1/rollout/${RolloutId}/abort`, { Version: seen.Version }), 200);
  assert.equal(await own.status('DELETE', `/v1/rollout/${RolloutId}`), 403, 'a record of a deleted device would go');

  const other = await begin({ Name: 'moving', DeviceIds: [ids.idle, moved.id], ArtifactId: ids.artifact, ...LATER });
  await json('PATCH', `/v1/devices/${moved.id}`, { DeviceGroup: 'bramble' });
  const { Version } = await own.json<Rollout>('GET', `/v1/rollout/${other}`);
  assert.equal(await own.status('POST', `/v1/rollout/${other}/abort`, { Version }), 403);
  for (const path of ['', '/devices', '/states', '/runs']) {
    const text = await (await own.call('GET', `/v1/rollout/${other}${path}`)).text();
    assert.ok(!text.includes(moved.id) && !text.includes('anchor-moved'), path);
  }
});

// ---- Standing orders -------------------------------------------------------------------------------------------------

test('standing orders are those of the groups', async () => {
  const orders = await own.json<StandingOrder[]>('GET', '/v1/orders');
  assert.deepEqual(
    orders.map(({ Name, Devices }) => [Name, Devices]),
    [['anchor app', 2]],
  );
  const { Items } = await own.json<{ Items: OrderedDevice[] }>('GET', '/v1/orders/anchor%20app/devices');
  assert.deepEqual(Items.map(({ DeviceId }) => DeviceId).toSorted(), [ids.idle, ids.mine].toSorted());
  assert.equal(await own.status('GET', '/v1/orders/elsewhere/devices'), 404);
  assert.equal(await own.status('POST', '/v1/orders/elsewhere/retry', {}), 404);
  assert.equal(await own.status('DELETE', '/v1/orders/elsewhere'), 404);
});

test('a standing order is saved for own groups only, and takes none over', async () => {
  const order = (DeviceGroup: string) => ({ DeviceGroup, ArtifactId: ids.artifact });
  assert.equal(await own.status('PUT', '/v1/orders/new', order('bramble')), 403);
  assert.equal(await own.status('PUT', '/v1/orders/anchor%20app', order('bramble')), 403);
  assert.equal(await own.status('PUT', '/v1/orders/elsewhere', order('anchor')), 409);
  assert.equal(await own.status('PUT', '/v1/orders/ELSEWHERE', order('anchor')), 409);
  assert.equal(await own.status('PUT', '/v1/orders/new', order('anchor')), 200);
  assert.equal(await own.status('DELETE', '/v1/orders/new'), 200);
  const left = await json<StandingOrder[]>('GET', '/v1/orders');
  assert.deepEqual(
    left.map(({ Name, DeviceGroup }) => [Name, DeviceGroup]),
    [
      ['anchor app', 'anchor'],
      ['elsewhere', 'bramble'],
    ],
  );
});

/** A token of the account with this role. */
async function tokenWith(
  Role: string,
): Promise<{ id: string; as: (method: string, path: string, body?: unknown) => Promise<Response> }> {
  const made = await json<{ TokenId: string; Token: string }>('POST', '/v1/account/tokens', {
    Name: 'maker',
    Owner: 'account',
    Role,
  });
  const headers = { Authorization: `Bearer ${made.Token}` };
  return { id: made.TokenId, as: (method, path, body) => service.call(method, path, body, headers) };
}

test('a rollout whose maker lost the right to deploy pauses before its next wave, and goes on in the name of who resumes it', async () => {
  const maker = await tokenWith('Deployer');
  const answer = await maker.as('POST', '/v1/rollout', {
    ...ROLLOUT,
    Name: 'orphan',
    DeviceIds: [ids.idle, ids.mine],
    ArtifactId: ids.artifact,
    Waves: [{ Count: 1 }, { Percent: 100 }],
    Advance: 'confirm',
  });
  const { RolloutId } = (await answer.json()) as { RolloutId: string };
  const waves = async () => (await whole(RolloutId)).Waves.filter(({ JobId }) => JobId).length;
  const step = async (name: string) =>
    json('POST', `/v1/rollout/${RolloutId}/${name}`, { Version: (await whole(RolloutId)).Version });
  await until('its first wave', async () => (await waves()) === 1);
  await json('DELETE', `/v1/account/tokens/${maker.id}`);
  await step('advance');
  const { Because } = await until('its pause', async () => {
    const now = await whole(RolloutId);
    return now.State === 'Paused' && now;
  });
  assert.match(Because, /may no longer deploy/);
  assert.equal(await waves(), 1);
  // It was advanced already.
  await step('resume');
  await until('its second wave', async () => (await waves()) === 2);
  await json('POST', `/v1/rollout/${RolloutId}/abort`, { Version: (await whole(RolloutId)).Version });
});

test('a standing order whose maker lost the right to deploy is stopped until somebody saves it again', async () => {
  const maker = await tokenWith('Deployer');
  const order = { DeviceGroup: 'orphanage', ArtifactId: ids.artifact };
  assert.equal((await maker.as('PUT', '/v1/orders/orphan', order)).status, 200);
  await json('DELETE', `/v1/account/tokens/${maker.id}`);
  const read = async () => (await json<StandingOrder[]>('GET', '/v1/orders')).find(({ Name }) => Name === 'orphan');
  const stopped = await read();
  assert.deepEqual([stopped?.State, /may no longer deploy/.test(stopped?.Because ?? '')], ['Stopped', true]);
  const { id } = await fleet.device('orphanage');
  // Another order of the same account is carried out in the same look, after this one.
  const other = await fleet.device('another hall');
  await json('PUT', '/v1/orders/zz-other', { DeviceGroup: 'another hall', ArtifactId: ids.artifact });
  const jobsOf = async (device: string) => (await json<unknown[]>('GET', `/v1/device/${device}/queue`)).length;
  await until('the job of the other order', async () => (await jobsOf(other.id)) > 0);
  assert.equal(await jobsOf(id), 0);
  await json('PUT', '/v1/orders/orphan', order);
  await until('its job', async () => (await jobsOf(id)) > 0);
  for (const name of ['orphan', 'zz-other']) await json('DELETE', `/v1/orders/${name}`);
});

test('the jobs of a wave across groups are seen in part too', async () => {
  const { Waves } = await own.json<Rollout>('GET', `/v1/rollout/${rollouts.mixed}`);
  const wave = Waves[0]?.JobId;
  const all = await json<Job[]>('GET', `/v1/job/${wave}/childjobs`);
  assert.equal(all.length, 2);
  const path = `/v1/job/${wave}/childjobs`;
  const { Children: states } = await own.json<{ Children: Job[] }>('GET', `${path}?since=`);
  for (const children of [await own.json<Job[]>('GET', path), states])
    assert.deepEqual(
      children.map(({ DeviceId }) => DeviceId),
      [ids.mine],
    );
  // The logs that the page of a rollout compares.
  const every = all.map(({ JobId }) => JobId).join(',');
  const outputs = await own.json<{ JobId: string }[]>('GET', `/v1/job/${wave}/outputs?ids=${every}`);
  assert.deepEqual(
    outputs.map(({ JobId }) => JobId),
    all.filter(({ DeviceId }) => DeviceId === ids.mine).map(({ JobId }) => JobId),
  );
});
