// Jobs from the API to a real agent and back: one device, groups and tags, output, deleting, artifacts that vanish.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import type { OutputPiece } from '#/contract/job-outputs.ts';
import type { Job } from '#/contract/jobs.ts';
import type { ProblemBody } from '#/contract/problem.ts';
import { gzip, tar } from '#/contract/test-tar.ts';
import { FakeAgent, scratch, spawnAgent } from '../test-agents.ts';
import { endProcesses, until } from '../../scripts/test-process.ts';
import { testFleet } from '../test-fleet.ts';
import type { TestFleet } from '../test-fleet.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

let service: TestService;
let fleet: TestFleet;
let device: { id: string; key: string };
const at = scratch();
const file = (name: string) => path.join(at.folder, name);
const lines = (name: string) => (existsSync(file(name)) ? readFileSync(file(name), 'utf8').trim().split('\n') : []);

const start = (key: string, data: string) => spawnAgent(['--server', service.url, '--key', key], file(data));

before(async () => {
  service = await startTestService();
  fleet = testFleet((...request) => service.call(...request));
  device = await fleet.device('real', 'bench');
  start(device.key, 'agent');
  await until('the agent to be Online', async () => (await fleet.status(device.id)) === 'Online');
});
after(async () => {
  await endProcesses();
  await service.end();
  at.remove();
});

const target = () => ({ DeviceId: device.id });
const refusal = async (body: object, status: number) => {
  const response = await service.call('POST', '/v1/job', { Name: 'job', ...body });
  assert.equal(response.status, status, await response.clone().text());
  return (await response.json()) as ProblemBody;
};
const running = (text: string) =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text);
    } catch {
      return false;
    }
  });

test('a job runs on the device; what it prints and its exit code come back', async () => {
  const id = await fleet.run(`printf 'one\\ntwo'; echo oops >&2; exit 4`, target());
  const { StartTime, EndTime, CreatedTime = '', Command, ...job } = await fleet.ended(id);
  assert.deepEqual(job, {
    JobId: id,
    JobName: 'job',
    DeviceId: device.id,
    DeviceName: 'bench',
    Result: 'one\ntwooops\n',
    RuleName: 'w',
    Status: 'Failed',
    ExitCode: 4,
    Stdout: 'one\ntwo',
    Stderr: 'oops\n',
    WorkflowId: job.WorkflowId,
    Attempts: 1,
  });
  assert.match(StartTime, /^[A-Z][a-z]{2} \d{1,2}, \d{4}, \d\d:\d\d:\d\d UTC$/);
  assert.match(EndTime, /UTC$/);
  assert.ok(Date.parse(CreatedTime) <= Date.now());
  assert.ok(Command.startsWith('printf'));
  assert.deepEqual(await fleet.children(id), []);
  const listed = (await fleet.jobs()).find(({ JobId }) => JobId === id);
  assert.deepEqual(
    [listed?.Status, listed?.Result, listed?.Stdout, listed?.EndTime],
    ['Failed', 'one\ntwooops\n', undefined, EndTime],
  );
});

test('jobs run in the order they were submitted, one at a time, each once', async () => {
  const workflow = (n: number) =>
    fleet.workflow(`echo begin ${n} >> ${file('order')}; sleep 0.05; echo end ${n} >> ${file('order')}`);
  const workflows = await Promise.all(Array.from({ length: 6 }, (_, n) => workflow(n)));
  const ids: string[] = [];
  for (const WorkflowId of workflows) ids.push(await fleet.submit({ ...target(), WorkflowId }));
  await Promise.all(ids.map((id) => fleet.ended(id)));
  assert.deepEqual(
    lines('order'),
    workflows.flatMap((_, n) => [`begin ${n}`, `end ${n}`]),
  );
});

test('output arrives while the job runs', async () => {
  const id = await fleet.run(`echo early; while [ ! -e ${file('go')} ]; do sleep 0.02; done; echo late`, target());
  const moving = await until('the first line', async () => {
    const job = await fleet.job(id);
    return job.Status === 'Running' && job.Stdout === 'early\n' && job;
  });
  assert.deepEqual([moving.Status, moving.EndTime, moving.Result], ['Running', '', '']);
  assert.notEqual(moving.StartTime, '');
  writeFileSync(file('go'), '');
  assert.equal((await fleet.ended(id)).Stdout, 'early\nlate\n');
});

test('a large output comes back byte by byte', async () => {
  const id = await fleet.run('seq 1 300000; seq 300001 400000 >&2', target());
  const { Stdout = '', Stderr = '' } = await fleet.ended(id);
  assert.equal(Stdout, `${Array.from({ length: 300_000 }, (_, n) => n + 1).join('\n')}\n`);
  assert.equal(Stderr, `${Array.from({ length: 100_000 }, (_, n) => n + 300_001).join('\n')}\n`);
});

interface Pieces {
  Job: Job;
  Stdout: OutputPiece;
  Stderr: OutputPiece;
  More: boolean;
}

test('output is read in pieces, and only what is new', async () => {
  const gate = file('pieces');
  const id = await fleet.run(
    `printf 'one ä'; echo oops >&2; while [ ! -e ${gate} ]; do sleep 0.02; done; printf '😀two'; exit 3`,
    target(),
  );
  const ask = (query: string, headers = {}) => service.call('GET', `/v1/job/${id}/output${query}`, undefined, headers);
  const read = async (query: string) => (await (await ask(query)).json()) as Pieces;
  const first = await until('the first line', async () => {
    const pieces = await read('');
    // The state may have been read just before its start and its output were stored together.
    return pieces.Job.Status === 'Running' && pieces.Stdout.Size === 6 && pieces.Stderr.Size === 5 && pieces;
  });
  assert.deepEqual(first.Stdout, { Text: 'one ä', Offset: 0, Next: 6, Size: 6 });
  assert.deepEqual(first.Stderr, { Text: 'oops\n', Offset: 0, Next: 5, Size: 5 });
  assert.deepEqual(
    [first.More, first.Job.Status, first.Job.Stdout, first.Job.Result],
    [false, 'Running', undefined, ''],
  );
  const nothing = await ask('?stdout=6&stderr=5');
  const etag = nothing.headers.get('etag') ?? '';
  assert.equal(((await nothing.json()) as Pieces).Stdout.Text, '');
  assert.equal((await ask('?stdout=6&stderr=5', { 'if-none-match': etag })).status, 304);

  writeFileSync(gate, '');
  await fleet.ended(id);
  const rest = await read('?stdout=6&stderr=5');
  assert.deepEqual(rest.Stdout, { Text: '😀two', Offset: 6, Next: 13, Size: 13 });
  assert.deepEqual(rest.Stderr, { Text: '', Offset: 5, Next: 5, Size: 5 });
  assert.deepEqual([rest.Job.Status, rest.Job.ExitCode, rest.Job.Result], ['Failed', 3, '']);
  assert.equal((await ask('?stdout=six')).status, 400);
  assert.equal((await ask('?stdout=-1')).status, 400);
  await fleet.remove(id);
  assert.equal((await ask('?stdout=6')).status, 404);
});

test('a large output comes in pieces of a bounded size', async () => {
  const id = await fleet.run('seq 1 300000', target());
  const whole = (await fleet.ended(id)).Stdout ?? '';
  let text = '';
  for (let offset = 0, more = true; more;) {
    const response = await service.call('GET', `/v1/job/${id}/output?stdout=${offset}`);
    const { Stdout, More } = (await response.json()) as Pieces;
    assert.ok(Stdout.Text.length <= 1024 * 1024);
    text += Stdout.Text;
    offset = Stdout.Next;
    more = More;
  }
  assert.ok(text === whole && whole.length > 1024 * 1024);
});

test('a job for a device that is away waits, and runs when its agent comes', async () => {
  const away = await fleet.device('away');
  const id = await fleet.run(`echo ran >> ${file('away')}`, { DeviceId: away.id });
  const waiting = await fleet.job(id);
  assert.deepEqual([waiting.Status, waiting.StartTime, waiting.EndTime, waiting.Result], ['Waiting', '', '', '']);
  const late = start(away.key, 'late');
  assert.equal((await fleet.ended(id)).Status, 'Succeeded');
  assert.deepEqual(lines('away'), ['ran']);
  await late.end('SIGTERM');
  await until('Offline', async () => (await fleet.status(away.id)) === 'Offline');
});

test('a group job has a child for each device, its counts, and a summary of one line', async () => {
  const keys = [await fleet.device('trio', 'a'), await fleet.device('trio', 'b'), await fleet.device('trio', 'c')];
  const [a, b, c] = await Promise.all(keys.map(({ key }) => FakeAgent.connect(service.url, key)));
  assert.ok(a && b && c);
  const id = await fleet.run('x', { DeviceGroup: 'trio' });
  const jobs = await Promise.all([a, b, c].map((fake) => fake.receive('run')));
  assert.deepEqual((await fleet.job(id)).Counts, { Waiting: 3 });
  a.finish(jobs[0]?.job ?? '', 0, 'fine\n');
  const moving = await until('one to succeed', async () => {
    const job = await fleet.job(id);
    return job.Counts?.['Succeeded'] === 1 && job;
  });
  assert.deepEqual([moving.Status, moving.DeviceId, moving.DeviceGroup, moving.EndTime], ['Running', '', 'trio', '']);
  b.finish(jobs[1]?.job ?? '', 9);
  c.finish(jobs[2]?.job ?? '');
  const { Status, Result, Counts, StartTime } = await fleet.ended(id);
  assert.deepEqual([Status, Result, Counts], ['Failed', '2 of 3 succeeded, 1 failed', { Succeeded: 2, Failed: 1 }]);
  assert.notEqual(StartTime, '');
  const children = await fleet.children(id);
  assert.deepEqual(
    children.map((child) => [child.DeviceName, child.Status, child.ExitCode, child.Stdout, child.ParentJobId]),
    [
      ['a', 'Succeeded', 0, 'fine\n', id],
      ['b', 'Failed', 9, '', id],
      ['c', 'Succeeded', 0, '', id],
    ],
  );
  // A child answers by its own id, and is not in the list of jobs.
  const one = children[1]?.JobId ?? '';
  assert.equal((await fleet.job(one)).ExitCode, 9);
  assert.ok(!(await fleet.jobs()).some(({ JobId }) => JobId === one));
  const ofDevice = (await (await service.call('GET', `/v1/device/${keys[1]?.id}/queue`)).json()) as Job[];
  assert.deepEqual(
    ofDevice.map(({ JobId }) => JobId),
    [one],
  );
  // Deleting one child takes it off the counts; deleting the parent takes the others along.
  await fleet.remove(one);
  assert.deepEqual((await fleet.job(id)).Result, '2 of 2 succeeded');
  await fleet.remove(id);
  assert.equal((await service.call('GET', `/v1/job/${children[0]?.JobId}`)).status, 404);
  await Promise.all([a, b, c].map((fake) => fake.end()));
});

test('membership is taken when the job is submitted', async () => {
  const first = await fleet.device('growing');
  await service.call('POST', '/v1/tag/seasonal');
  const tags = (await (await service.call('GET', '/v1/tag')).json()) as { TagId: string; TagName: string }[];
  const TagId = tags.find(({ TagName }) => TagName === 'seasonal')?.TagId ?? '';
  const empty = await refusal({ TagId, WorkflowId: await fleet.workflow('x') }, 400);
  assert.match(empty.title, /on no device/);
  await service.call('POST', `/v1/devices/${first.id}/tag/${TagId}`);
  const id = await fleet.run('x', { TagId });
  const second = await fleet.device('growing');
  await service.call('POST', `/v1/devices/${second.id}/tag/${TagId}`);
  assert.deepEqual(
    (await fleet.children(id)).map(({ DeviceId }) => DeviceId),
    [first.id],
  );
  assert.equal((await fleet.job(id)).TagId, TagId);
});

test('a target or an order that is not there is refused, and nothing is left of it', async () => {
  const earlier = (await fleet.jobs()).length;
  const WorkflowId = await fleet.workflow('x');
  await refusal({ DeviceId: 'nobody', WorkflowId }, 404);
  await refusal({ TagId: 'nothing', WorkflowId }, 404);
  await refusal({ ...target(), WorkflowId: 'none' }, 404);
  await refusal({ ...target(), ArtifactId: 'none' }, 404);
  assert.match((await refusal({ DeviceGroup: 'nobodies', WorkflowId }, 400)).title, /"nobodies" has no devices/);
  await refusal({ ...target(), DeviceGroup: 'real', WorkflowId }, 400);
  await refusal(target(), 400);
  await refusal({ ...target(), WorkflowId, Name: ' ' }, 400);
  assert.equal((await fleet.jobs()).length, earlier);
});

test('a waiting job that is deleted never runs', async () => {
  const hold = await fleet.run(`while [ ! -e ${file('let-go')} ]; do sleep 0.02; done`, target());
  const doomed = await fleet.run(`echo ran >> ${file('doomed')}`, target());
  const last = await fleet.run('echo last', target());
  await fleet.reached(hold, 'Running');
  await fleet.remove(doomed);
  assert.equal((await service.call('GET', `/v1/job/${doomed}`)).status, 404);
  writeFileSync(file('let-go'), '');
  await fleet.ended(last);
  assert.deepEqual(lines('doomed'), []);
});

test('with If-Match a job is deleted only as it was read: one that has begun meanwhile goes on', async () => {
  const etag = async (id: string) => (await service.call('GET', `/v1/job/${id}`)).headers.get('ETag') ?? '';
  const remove = async (id: string, tag: string) =>
    (await service.call('DELETE', `/v1/job/${id}`, undefined, { 'If-Match': tag })).status;
  const away = await fleet.device('conditional');
  const [begun, kept] = [
    await fleet.run('begun', { DeviceId: away.id }),
    await fleet.run('kept', { DeviceId: away.id }),
  ];
  const [asWaiting, asKept] = [await etag(begun), await etag(kept)];
  assert.equal(await remove(kept, `W/${asKept}`), 412); // weak tags never match here (RFC 9110, section 8.8.3.2)
  const agent = await FakeAgent.connect(service.url, away.key);
  await agent.receive('run');
  // It was sent to its agent, and may have started.
  assert.equal(await remove(begun, asWaiting), 412);
  agent.say({ type: 'started', job: begun, ago: 0 });
  await fleet.reached(begun, 'Running');
  assert.equal(await remove(begun, asWaiting), 412);
  assert.equal(await remove(kept, `"other", ${asKept}`), 200);
  assert.equal((await service.call('GET', `/v1/job/${kept}`)).status, 404);
  agent.socket.close();
});

test('a running job that is deleted is stopped first, with all it started, and the next one runs', async () => {
  const id = await fleet.run(
    'setsid sleep 0.4321 & sleep 432.1 & echo up; while :; do setsid sleep 0.4321; done',
    target(),
  );
  await until('it to run', async () => (await fleet.job(id)).Stdout === 'up\n');
  const next = await fleet.run('echo next', target());
  await fleet.remove(id);
  for (const left of ['sleep\x00432.1', 'sleep\x000.4321']) assert.deepEqual(running(left), []);
  assert.equal((await service.call('GET', `/v1/job/${id}`)).status, 404);
  assert.equal((await fleet.ended(next)).Stdout, 'next\n');
});

test('a parent that is deleted takes waiting and running children along', async () => {
  const away = await fleet.device('mixed');
  await service.call('PATCH', `/v1/devices/${device.id}`, { DeviceGroup: 'mixed' });
  const id = await fleet.run('echo up; sleep 433', { DeviceGroup: 'mixed' });
  await until('a child to run', async () => (await fleet.job(id)).Counts?.['Running'] === 1);
  const children = await fleet.children(id);
  await fleet.remove(id);
  assert.deepEqual(running('sleep\x00433'), []);
  for (const { JobId } of children) assert.equal((await service.call('GET', `/v1/job/${JobId}`)).status, 404);
  const late = start(away.key, 'mixed');
  const marker = await fleet.run(`echo after >> ${file('mixed-ran')}`, { DeviceId: away.id });
  await fleet.ended(marker);
  assert.deepEqual(lines('mixed-ran'), ['after']);
  await late.end('SIGTERM');
});

test('the Command that is stored and shown has the public address; an agent is handed one with the address it dialled', async () => {
  const { id, key } = await fleet.device('dialled');
  const form = new FormData();
  const fields = { size: '1', version: '1', type: 'script', destination: '/', command: './x.sh' };
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', new File(['#!/bin/sh\n'], 'x.sh'));
  const { ArtifactId } = (await (await service.call('POST', '/v1/artifact', form)).json()) as { ArtifactId: string };
  const dialled = service.url.replace('127.0.0.1', 'localhost');
  const agent = await FakeAgent.connect(service.url, key, { server: dialled });
  const single = await fleet.submit({ DeviceId: id, ArtifactId });
  const parent = await fleet.submit({ DeviceGroup: 'dialled', ArtifactId });
  const [child] = await fleet.children(parent);

  const linkIn = (command: string) => new URL(/'(https?:[^']*)'/.exec(command)?.[1] ?? '');
  for (const [job, shown] of [
    [single, single],
    [child?.JobId ?? '', parent],
  ] as const) {
    const run = await agent.receive('run');
    assert.equal(run.job, job);
    const handed = linkIn(run.command);
    assert.deepEqual([handed.origin, handed.searchParams.get('job')], [dialled, job]);
    assert.equal((await fetch(handed)).status, 200);
    const stored = linkIn((await fleet.job(job)).Command);
    assert.deepEqual([stored.origin, stored.searchParams.get('job')], [service.url, shown]);
    // The stored link opens that artifact as long as its job has not ended.
    assert.equal((await fetch(stored)).status, 200);
    agent.finish(job);
    await fleet.ended(job);
    assert.equal((await fetch(stored)).status, 403);
  }
  await agent.end();
});

test('the agent looks through an archive again: what the service let in by mistake is not unpacked', async () => {
  const form = new FormData();
  for (const [name, value] of Object.entries({ size: '1', version: '1', type: 'tar.gz' })) form.set(name, value);
  form.set('file', new File([await gzip(tar({ path: 'update.sh', body: 'echo ran\n' }))], 'app.tar.gz'));
  const { ArtifactId } = (await (await service.call('POST', '/v1/artifact', form)).json()) as { ArtifactId: string };
  const hostile = await gzip(tar({ path: 'update.sh', body: 'echo ran\n' }, { path: '../evil' }));
  writeFileSync(path.join(service.dataDir, 'artifacts', ArtifactId), hostile);
  const sha256 = createHash('sha256').update(hostile).digest('hex');
  await service.context.db.write(async (tx) => {
    await tx.run('UPDATE artifacts SET sha256 = ?, size_bytes = ? WHERE id = ?', sha256, hostile.length, ArtifactId);
  });
  const ran = await fleet.ended(await fleet.submit({ ...target(), ArtifactId }));
  assert.deepEqual([ran.Status, ran.Stdout], ['Failed', '']);
  assert.match(ran.Stderr ?? '', /may not be unpacked: the archive holds "\.\.\/evil".*\nNothing was run\.\n/);
});

test('an artifact is fetched and run; a job whose artifact was deleted fails and the next one runs', async () => {
  const form = new FormData();
  const script = '#!/bin/sh\necho "artifact of $MUSTER_JOB_ID"\n';
  const fields = { size: '1', version: '1', type: 'script', destination: file('to'), command: './hello.sh' };
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', new File([script], 'hello.sh'));
  const { ArtifactId } = (await (await service.call('POST', '/v1/artifact', form)).json()) as { ArtifactId: string };
  const ran = await fleet.ended(await fleet.submit({ ...target(), ArtifactId }));
  assert.deepEqual([ran.Stdout, ran.Stderr, ran.Status], [`artifact of ${ran.JobId}\n`, '', 'Succeeded']);
  assert.ok(ran.Command.includes(`${service.url}/download/${ArtifactId}?job=${ran.JobId}`));
  rmSync(file('to'), { recursive: true });

  const away = await fleet.device('vanishing');
  const doomed = await fleet.submit({ DeviceId: away.id, ArtifactId });
  const group = await fleet.submit({ DeviceGroup: 'vanishing', ArtifactId });
  const next = await fleet.run('echo next', { DeviceId: away.id });
  assert.equal((await service.call('DELETE', `/v1/artifact/${ArtifactId}`)).status, 200);
  const { Status, Result, EndTime } = await fleet.job(doomed);
  assert.deepEqual([Status, Result], ['Failed', 'artifact deleted']);
  assert.notEqual(EndTime, '');
  assert.deepEqual((await fleet.job(group)).Counts, { Failed: 1 });
  const late = start(away.key, 'vanishing');
  assert.equal((await fleet.ended(next)).Stdout, 'next\n');
  await late.end('SIGTERM');
  assert.ok(!existsSync(file('to')));
});

test('a wrong key: one clear line and a non-zero exit', async () => {
  const wrong = spawnAgent(['--server', service.url, '--key', 'mdk_wrong'], file('wrong'));
  assert.equal(await wrong.ended, 2);
  assert.match(wrong.printed, /^http:\S+ refused this device key\. .*\n$/);
});

test('the key is readable by its owner only; a later start needs only the folder', async () => {
  assert.equal(statSync(file('agent/key')).mode & 0o777, 0o600);
  const own = await fleet.device();
  const first = start(own.key, 'own');
  await until('Online', async () => (await fleet.status(own.id)) === 'Online');
  await first.end('SIGTERM');
  await until('Offline', async () => (await fleet.status(own.id)) === 'Offline');
  const again = spawnAgent([], file('own'));
  await until('Online again', async () => (await fleet.status(own.id)) === 'Online');
  await again.end('SIGTERM');
  assert.equal(await again.ended, 0);
});

test('a second agent with the same key: the newest wins, the older exits saying so', async () => {
  const own = await fleet.device();
  const older = spawnAgent(['--server', service.url], file('older'), { DEVICE_KEY: own.key });
  await until('Online', async () => (await fleet.status(own.id)) === 'Online');
  const newer = start(own.key, 'newer');
  assert.equal(await older.ended, 3);
  assert.match(older.printed, /Another agent connected with the same device key/);
  assert.equal((await fleet.ended(await fleet.run('echo newer', { DeviceId: own.id }))).Stdout, 'newer\n');
  await newer.end('SIGTERM');
});

test('a list that did not change is not sent again', async () => {
  // What other tests have begun may still be noted in the background.
  const headers = await until('a list that did not change', async () => {
    const first = await service.call('GET', '/v1/job');
    const unchanged = { 'If-None-Match': first.headers.get('etag') ?? '' };
    return (await service.call('GET', '/v1/job', undefined, unchanged)).status === 304 && unchanged;
  });
  await fleet.ended(await fleet.run('true', target()));
  assert.equal((await service.call('GET', '/v1/job', undefined, headers)).status, 200);
});

test('an order that arrives twice with one Idempotency-Key is carried out once', async () => {
  const WorkflowId = await fleet.workflow(`echo once >> '${file('once')}'`);
  const order = { Name: 'once', ...target(), WorkflowId };
  const send = async (body: object, key: string) => service.call('POST', '/v1/job', body, { 'Idempotency-Key': key });
  const answers = await Promise.all([send(order, 'key-1'), send(order, 'key-1'), send(order, 'key-1')]);
  const ids = await Promise.all(answers.map(async (answer) => ((await answer.json()) as { JobId: string }).JobId));
  assert.equal(new Set(ids).size, 1);
  await fleet.ended(ids[0] ?? '');
  const again = (await (await send(order, 'key-2')).json()) as { JobId: string };
  assert.notEqual(again.JobId, ids[0]);
  await fleet.ended(again.JobId);
  assert.equal(readFileSync(file('once'), 'utf8'), 'once\nonce\n');
  assert.equal((await send({ ...order, Name: 'another' }, 'key-1')).status, 409);
  assert.equal((await send(order, '')).status, 400);
});

test('all queues in one list: device by device, in the order of submission, children included, without what ended', async () => {
  const quiet = await fleet.devices('quiet', ['first', 'second']);
  const WorkflowId = await fleet.workflow('true');
  const [one, two] = quiet.map(({ id }) => id);
  const earlier = await fleet.submit({ Name: 'before', WorkflowId, DeviceId: two });
  const parent = await fleet.submit({ Name: 'group', WorkflowId, DeviceGroup: 'quiet' });
  const later = await fleet.submit({ Name: 'after', WorkflowId, DeviceId: one });
  const ofBoth = async (response: Response) =>
    ((await response.json()) as Job[]).filter(({ DeviceId }) => DeviceId === one || DeviceId === two);
  const response = await service.call('GET', '/v1/jobs/queues');
  assert.deepEqual(
    (await ofBoth(response)).map(({ DeviceId, JobName, ParentJobId, Status, Command }) => [
      DeviceId,
      JobName,
      ParentJobId,
      Status,
      Command,
    ]),
    [
      [one, 'group', parent, 'Waiting', ''],
      [one, 'after', undefined, 'Waiting', ''],
      [two, 'before', undefined, 'Waiting', ''],
      [two, 'group', parent, 'Waiting', ''],
    ],
  );
  const etag = response.headers.get('etag') ?? '';
  const again = () => service.call('GET', '/v1/jobs/queues', undefined, { 'if-none-match': etag });
  assert.equal((await again()).status, 304);
  for (const id of [earlier, parent, later]) await service.call('DELETE', `/v1/job/${id}`);
  assert.deepEqual(await ofBoth(await again()), []);
});

test('what an artifact was run by is one list, children included', async () => {
  const form = new FormData();
  for (const [name, value] of Object.entries({
    size: '9',
    version: '1',
    type: 'script',
    destination: '/tmp',
    command: 'true',
  }))
    form.set(name, value);
  form.set('file', new File(['#!/bin/sh'], 'x.sh'));
  const uploaded = await fetch(`${service.url}/v1/artifact`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.token}` },
    body: form,
  });
  const { ArtifactId } = (await uploaded.json()) as { ArtifactId: string };
  const runs = async () => {
    const response = await service.call('GET', `/v1/jobs/runs/${ArtifactId}`);
    return ((await response.json()) as Job[]).map(({ DeviceId, JobName, Status }) => [DeviceId, JobName, Status]);
  };
  assert.deepEqual(await runs(), []);
  const one = await fleet.device('runs', 'one');
  const two = await fleet.device('runs', 'two');
  await fleet.submit({ Name: 'single', ArtifactId, DeviceId: two.id });
  await fleet.submit({ Name: 'group', ArtifactId, DeviceGroup: 'runs' });
  await fleet.submit({ Name: 'other', WorkflowId: await fleet.workflow('true'), DeviceId: one.id });
  assert.deepEqual(await runs(), [
    [two.id, 'single', 'Waiting'],
    [one.id, 'group', 'Waiting'],
    [two.id, 'group', 'Waiting'],
  ]);
});
