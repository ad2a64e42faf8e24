// A role that is limited to device groups sees jobs as if the devices of its groups were the only ones, and changes only
// jobs whose devices are all in them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Job } from '#/contract/jobs.ts';
import { FakeAgent } from '../test-agents.ts';
import { testBulk } from '../test-bulk.ts';
import { testFleet } from '../test-fleet.ts';
import type { TestFleet } from '../test-fleet.ts';
import { limitedCaller, unpacked } from '../test-limited.ts';
import type { LimitedCaller } from '../test-limited.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

let service: TestService;
let fleet: TestFleet;
let own: LimitedCaller;
let deployer: LimitedCaller;
let agents: FakeAgent[];
const ids = { mine: '', idle: '', theirs: '', lone: '', tag: '', artifact: '', workflow: '' };
const jobs = { single: '', foreign: '', lone: '', mixed: '', group: '', foreignGroup: '' };
const foreign: string[] = [];

const call = (method: string, path: string, body?: unknown) => service.call(method, path, body);
const all = async <T>(path: string): Promise<T> => (await (await call('GET', path)).json()) as T;

/** Runs the next job of a device to its end. */
async function run(agent: FakeAgent, exitCode: number, stdout: string): Promise<string> {
  const { job } = await agent.receive('run');
  agent.finish(job, exitCode, stdout);
  await fleet.ended(job);
  return job;
}

before(async () => {
  service = await startTestService();
  fleet = testFleet(call);
  const mine = await fleet.device('anchor', 'anchor-press');
  const idle = await fleet.device('anchor', 'anchor-pump');
  const theirs = await fleet.device('bramble', 'bramble-press');
  const lone = await fleet.device('', 'lonely-press');
  Object.assign(ids, { mine: mine.id, idle: idle.id, theirs: theirs.id, lone: lone.id });
  ids.tag = await testBulk(call).tag('shared');
  for (const id of [mine.id, theirs.id]) await call('POST', `/v1/devices/${id}/tag/${ids.tag}`);
  ids.artifact = await fleet.artifact('app.sh', '1.0');
  ids.workflow = await fleet.workflow('true');
  agents = [await FakeAgent.connect(service.url, mine.key), await FakeAgent.connect(service.url, theirs.key)];
  const [mineAgent, theirAgent] = agents as [FakeAgent, FakeAgent];
  foreign.push('bramble', 'lonely', theirs.id, lone.id);

  jobs.mixed = await fleet.submit({ DeviceIds: [mine.id, theirs.id], ArtifactId: ids.artifact, Name: 'both' });
  await run(mineAgent, 0, 'output of anchor');
  const failed = await run(theirAgent, 3, 'output of bramble');
  jobs.single = await fleet.submit({ DeviceId: mine.id, ArtifactId: ids.artifact });
  await run(mineAgent, 0, 'more');
  jobs.foreign = await fleet.submit({ DeviceId: theirs.id, ArtifactId: ids.artifact });
  await run(theirAgent, 0, 'bramble again');
  jobs.lone = await fleet.submit({ DeviceId: lone.id, ArtifactId: ids.artifact });
  jobs.group = await fleet.submit({ DeviceGroup: 'anchor', WorkflowId: ids.workflow });
  jobs.foreignGroup = await fleet.submit({ DeviceGroup: 'bramble', WorkflowId: ids.workflow, Name: 'elsewhere' });
  foreign.push(failed, jobs.foreign, jobs.lone, jobs.foreignGroup, 'elsewhere');
  for (const id of [jobs.foreignGroup, jobs.mixed])
    foreign.push(
      ...(await fleet.children(id)).filter(({ DeviceId }) => DeviceId === theirs.id).map(({ JobId }) => JobId),
    );
  own = await limitedCaller(service, { role: 'Operator', groups: ['anchor'] }, foreign);
  deployer = await limitedCaller(service, { role: 'Deployer', groups: ['anchor'] }, foreign);
});
after(async () => {
  for (const agent of agents) await agent.end();
  await service.end();
});

const visible = () => [jobs.mixed, jobs.single, jobs.group];
const idsOf = (rows: readonly Job[]) => rows.map(({ JobId }) => JobId);

test('every list and every job has what is in the groups, and nothing else', async () => {
  assert.deepEqual(idsOf(await own.json<Job[]>('GET', '/v1/job')), visible());
  const since = await own.json<{ Jobs: Job[]; Version: string }>('GET', '/v1/job?since=');
  assert.deepEqual(idsOf(since.Jobs), visible());
  const page = await own.json<{ Items: Job[]; Total: number; Version: string }>('GET', '/v1/jobs');
  assert.deepEqual(idsOf(page.Items), visible().toReversed());
  assert.equal(page.Total, 3);
  const queues = await own.json<Job[]>('GET', '/v1/jobs/queues');
  assert.deepEqual(queues.map(({ DeviceId }) => DeviceId).toSorted(), [ids.mine, ids.idle].toSorted());
  assert.equal((await own.json<{ Jobs: Job[] }>('GET', '/v1/jobs/queues?since=')).Jobs.length, 2);
  assert.equal((await own.json<Job[]>('GET', `/v1/device/${ids.mine}/queue`)).length, 3);
  assert.equal((await own.json<Job[]>('GET', `/v1/jobs/runs/${ids.artifact}`)).length, 2);
  assert.equal((await all<Job[]>('/v1/job')).length, 6);
});

test('a parent across groups has the figures of its devices in the groups alone', async () => {
  const seen = await own.json<Job>('GET', `/v1/job/${jobs.mixed}`);
  assert.deepEqual([seen.Status, seen.Counts, seen.Result], ['Succeeded', { Succeeded: 1 }, '1 of 1 succeeded']);
  const whole = await fleet.job(jobs.mixed);
  assert.deepEqual([whole.Status, whole.Counts], ['Failed', { Succeeded: 1, Failed: 1 }]);
  const children = await own.json<Job[]>('GET', `/v1/job/${jobs.mixed}/childjobs`);
  assert.deepEqual(
    children.map(({ DeviceName, Stdout }) => [DeviceName, Stdout]),
    [['anchor-press', 'output of anchor']],
  );
  const since = await own.json<{ Children: Job[] }>('GET', `/v1/job/${jobs.mixed}/childjobs?since=`);
  assert.equal(since.Children.length, 1);
  const every = (await fleet.children(jobs.mixed)).map(({ JobId }) => JobId);
  const outputs = await own.json<{ JobId: string }[]>('GET', `/v1/job/${jobs.mixed}/outputs?ids=${every.join(',')}`);
  assert.deepEqual(
    outputs.map(({ JobId }) => JobId),
    idsOf(children),
  );
  const { Job: shown } = await own.json<{ Job: Job }>('GET', `/v1/job/${jobs.mixed}/output?stdout=0&stderr=0`);
  assert.deepEqual(shown.Counts, { Succeeded: 1 });
});

test('what is outside is not there', async () => {
  for (const id of [jobs.foreign, jobs.lone, jobs.foreignGroup])
    for (const [method, path] of [
      ['GET', `/v1/job/${id}`],
      ['GET', `/v1/job/${id}/output?stdout=0&stderr=0`],
      ['GET', `/v1/job/${id}/childjobs`],
      ['GET', `/v1/job/${id}/childjobs?since=`],
      ['GET', `/v1/job/${id}/outputs?ids=${id}`],
      ['POST', `/v1/job/${id}/stop`],
      ['DELETE', `/v1/job/${id}`],
    ] as const)
      assert.equal(await own.status(method, path), 404, `${method} ${path}`);
  for (const id of [ids.theirs, ids.lone]) assert.equal(await own.status('GET', `/v1/device/${id}/queue`), 404);
  assert.equal((await all<Job[]>('/v1/job')).length, 6);
});

test('conditions are about what is seen', async () => {
  const found = async (query: string) =>
    idsOf((await own.json<{ Items: Job[] }>('GET', `/v1/jobs?${query}`)).Items).toReversed();
  assert.deepEqual(await found('status=Failed'), []);
  assert.deepEqual(await found('status=Succeeded'), [jobs.mixed, jobs.single]);
  assert.deepEqual(await found('status=Waiting,Running'), [jobs.group]);
  assert.deepEqual(await found('name=both'), [jobs.mixed]);
  assert.deepEqual(await found('name=elsewhere'), []);
  assert.deepEqual(await found(`name=${jobs.foreign}`), []);
  assert.deepEqual(await found('target=group:anchor'), [jobs.group]);
  assert.deepEqual(await found('target=group:bramble'), []);
  assert.deepEqual(await found(`target=device:${ids.theirs}`), []);
  assert.deepEqual(await found(`target=device:${ids.mine}`), visible());
  assert.deepEqual(await found(`artifact=${ids.artifact}`), [jobs.mixed, jobs.single]);
  assert.deepEqual(await found(`artifact=none,${ids.artifact}`), [jobs.mixed, jobs.single]);
  assert.deepEqual(await found(`active=${encodeURIComponent(new Date(Date.now() + 60_000).toISOString())}`), [
    jobs.group,
  ]);
  assert.deepEqual(await found('limit=1'), [jobs.group]);
});

test('versions are those of the groups, and a version of others is not one of theirs', async () => {
  const etag = async (caller: Pick<LimitedCaller, 'call'>, path: string) =>
    (await caller.call('GET', path)).headers.get('ETag');
  for (const path of ['/v1/job', '/v1/jobs/queues', `/v1/job/${jobs.mixed}/childjobs`, `/v1/job/${jobs.mixed}`])
    assert.notEqual(await etag(own, path), await etag({ call }, path), path);
  const { Version } = await all<{ Version: string }>('/v1/jobs');
  const reset = await own.json<{ Reset: boolean; Items: Job[] }>('GET', `/v1/jobs?since=${Version}`);
  assert.deepEqual([reset.Reset, reset.Items], [true, []]);
});

test('changes are followed without a word about others', async () => {
  const { Version } = await own.json<{ Version: string }>('GET', '/v1/jobs');
  const made = await fleet.submit({ DeviceId: ids.lone, WorkflowId: ids.workflow, Name: 'elsewhere too' });
  type Changed = { Items: Job[]; Removed: string[]; Reset: boolean; Version: string };
  const none = await own.json<Changed>('GET', `/v1/jobs?since=${Version}`);
  assert.deepEqual([none.Items, none.Removed, none.Reset], [[], [], false]);
  const mine = await fleet.submit({ DeviceId: ids.idle, WorkflowId: ids.workflow });
  const one = await own.json<Changed>('GET', `/v1/jobs?since=${none.Version}`);
  assert.deepEqual(idsOf(one.Items), [mine]);
  await fleet.remove(made);
  const removed = await (await own.call('GET', `/v1/jobs?since=${one.Version}`)).text();
  assert.ok(!removed.includes(made));
  const { Version: now } = await own.json<Changed>('GET', '/v1/jobs');
  await fleet.remove(mine);
  assert.equal((await own.json<Changed>('GET', `/v1/jobs?since=${now}`)).Reset, true);
});

test('a device that moves takes its jobs along', async () => {
  const moving = await fleet.device('bramble', 'wanderer');
  const job = await fleet.submit({ DeviceId: moving.id, WorkflowId: ids.workflow });
  const { Version } = await own.json<{ Version: string }>('GET', '/v1/jobs');
  assert.equal(await own.status('GET', `/v1/job/${job}`), 404);
  await call('PATCH', `/v1/devices/${moving.id}`, { DeviceGroup: 'anchor' });
  assert.equal(await own.status('GET', `/v1/job/${job}`), 200);
  assert.equal((await own.json<{ Reset: boolean }>('GET', `/v1/jobs?since=${Version}`)).Reset, true);
  await call('DELETE', `/v1/devices/${moving.id}`);
  assert.equal(await own.status('GET', `/v1/job/${job}`), 404, 'jobs of deleted devices are for unlimited roles');
});

// ---- Submitting, retrying, stopping ----------------------------------------------------------------------------------

const refused = async (body: object, caller = own) => {
  const answer = await caller.call('POST', '/v1/job', { Name: 'attack', ...body });
  const { title = '', detail = '' } = (await answer.json()) as { title?: string; detail?: string };
  return [answer.status, title, detail] as const;
};

test('every target has to be inside', async () => {
  const earlier = (await all<Job[]>('/v1/job')).length;
  const ArtifactId = ids.artifact;
  assert.equal((await refused({ DeviceId: ids.theirs, ArtifactId }))[0], 404);
  assert.equal((await refused({ DeviceId: ids.lone, ArtifactId }))[0], 404);
  const [status, title] = await refused({ DeviceGroup: 'bramble', ArtifactId });
  const unknown = await refused({ DeviceGroup: 'no such group', ArtifactId });
  assert.deepEqual([status, title], [unknown[0], unknown[1].replace('no such group', 'bramble')]);
  const tag = await refused({ TagId: ids.tag, ArtifactId });
  assert.deepEqual([tag[0], tag[1]], [403, 'This reaches devices outside your groups']);
  assert.match(tag[2], /^1 device with this tag is in your groups/);
  const list = await refused({ DeviceIds: [ids.mine, ids.theirs], ArtifactId });
  const made = await refused({ DeviceIds: [ids.mine, 'made-up'], ArtifactId });
  assert.deepEqual(list, made, 'a device outside and one that does not exist are the same');
  assert.equal(list[0], 403);
  assert.equal((await all<Job[]>('/v1/job')).length, earlier);
});

test('devices inside get their jobs', async () => {
  for (const target of [{ DeviceId: ids.idle }, { DeviceGroup: 'anchor' }, { DeviceIds: [ids.mine, ids.idle] }]) {
    const { JobId } = await own.json<{ JobId: string }>('POST', '/v1/job', {
      Name: 'mine',
      ArtifactId: ids.artifact,
      ...target,
    });
    assert.equal(await own.status('POST', `/v1/job/${JobId}/stop`), 200);
    assert.equal(await own.status('DELETE', `/v1/job/${JobId}`), 200);
  }
});

test('a job that also runs elsewhere is steered by unlimited roles', async () => {
  for (const [method, path] of [
    ['POST', `/v1/job/${jobs.mixed}/stop`],
    ['DELETE', `/v1/job/${jobs.mixed}`],
  ] as const)
    assert.equal(await own.status(method, path), 403, `${method} ${path}`);
  const retry = await refused({ RetryOf: jobs.mixed, DeviceIds: [ids.mine] });
  assert.deepEqual([retry[0], retry[1]], [403, 'This reaches devices outside your groups']);
  assert.equal((await refused({ RetryOf: jobs.foreign, DeviceIds: [ids.theirs] }))[0], 404);
  assert.equal((await refused({ RetryOf: jobs.foreign, DeviceIds: [ids.mine] }))[0], 404);
  assert.deepEqual((await fleet.job(jobs.mixed)).Counts, { Succeeded: 1, Failed: 1 });
});

test('retrying a workflow needs the shell that it gives', async () => {
  await fleet.stop(jobs.group);
  const retry = { Name: 'again', RetryOf: jobs.group, DeviceIds: [ids.idle] };
  const [status, title] = await refused(retry, deployer);
  assert.deepEqual([status, title], [403, 'Your role does not permit this']);
  assert.equal((await refused({ DeviceId: ids.mine, WorkflowId: ids.workflow }, deployer))[0], 403);
  await own.json('POST', '/v1/job', retry);
});

// ---- The archive, and versions ---------------------------------------------------------------------------------------

test('the archive has what is in the groups: listed, found and downloaded', async () => {
  const bulk = testBulk(call);
  await bulk.outcomes({ Action: 'archive', Jobs: [jobs.mixed, jobs.single, jobs.foreign] });
  type Archive = { Items: { Job: Job; OutputBytes: number; Hits?: { Text: string }[] }[]; Total: number };
  const listed = await own.json<Archive>('GET', '/v1/archive');
  assert.deepEqual(listed.Items.map(({ Job: { JobId } }) => JobId).toSorted(), [jobs.mixed, jobs.single].toSorted());
  assert.equal(listed.Total, 2);
  const mixed = listed.Items.find(({ Job: { JobId } }) => JobId === jobs.mixed);
  assert.equal(mixed?.OutputBytes, 'output of anchor'.length);
  const hits = async (search: string) => {
    const { Items } = await own.json<Archive>('GET', `/v1/archive?search=${search}`);
    return Items.flatMap(({ Hits = [] }) => Hits.map(({ Text }) => Text));
  };
  assert.deepEqual(await hits('t of '), ['output of anchor']);
  assert.deepEqual(await hits('bramble'), []);
  const zip = await own.call('GET', '/v1/archive.zip');
  assert.equal(zip.status, 200);
  const files = unpacked(Buffer.from(await zip.arrayBuffer()));
  assert.ok(files.includes('output of anchor'));
  for (const text of foreign) assert.ok(!files.includes(text), text);
  assert.equal((await own.call('GET', `/v1/archive.zip?jobs=${jobs.foreign}`)).status, 404);
  assert.equal((await own.json<{ Total: number; Items: Job[] }>('GET', '/v1/jobs?archived=yes')).Items.length, 2);
  assert.equal((await bulk.outcomes({ Action: 'unarchive', Jobs: [jobs.mixed, jobs.single, jobs.foreign] })).length, 3);
});

test('versions are those on devices in the groups', async () => {
  const counts = await own.json<{ ArtifactName: string; Devices: number }[]>('GET', '/v1/versions/counts');
  const [{ ArtifactName, Devices }] = counts as [(typeof counts)[number]];
  assert.deepEqual([counts.length, Devices], [1, 1]);
  const { Items } = await own.json<{ Items: { DeviceId: string }[] }>('GET', `/v1/versions?artifact=${ArtifactName}`);
  assert.deepEqual(
    Items.map(({ DeviceId }) => DeviceId),
    [ids.mine],
  );
  assert.equal((await all<{ Items: object[] }>(`/v1/versions?artifact=${ArtifactName}`)).Items.length, 2);
  assert.equal(await own.status('GET', `/v1/versions?device_id=${ids.theirs}`), 404);
});
