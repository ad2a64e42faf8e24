// Rollouts of a gateway in front of a plain /v1 service: each device one job, whatever happens to answers.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import type { Rollout, RolloutDevice, RolloutSummary } from '#/contract/rollouts.ts';
import { COLLEAGUE, OPERATOR, PlainV1, STRANGER } from '../../scripts/test-plain-v1.ts';
import { until } from '../../scripts/test-process.ts';
import { listen } from '../auth/test-gateway.ts';
import { readConfig } from '../config.ts';
import { timeOf, type TestTime } from '../test-service.ts';
import { startGateway } from './upstream-service.ts';

const DRAFT = {
  Name: 'pump 2.0.0',
  DeviceGroup: 'pumps',
  ArtifactId: 'a1',
  Waves: [{ Count: 1 }, { Percent: 100 }],
  Gate: { SuccessPercent: 100, OnlineMinutes: 0, TimeoutMinutes: 60 },
  PauseAfter: { FailedCount: 0 },
  Advance: 'auto',
};

async function startBefore(t: TestContext, devices: number) {
  const plain = new PlainV1(devices);
  const upstream = await listen(t, (request, response) => {
    const { method = '', url = '', headers } = request;
    void buffer(request).then((body) => plain.answer({ method, url, headers, body }, response));
  });
  const dataDir = mkdtempSync(path.join(tmpdir(), 'muster-upstream-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const clock: TestTime = { offset: 0, set: 0, boot: 'this one' };
  const open = async () => {
    const env = { PORT: '0', DATA_DIR: dataDir, UPSTREAM_URL: upstream, UPSTREAM_TOKEN: OPERATOR };
    const gateway = await startGateway(readConfig(env), {
      time: timeOf(clock),
      rolloutTimes: { lookMs: 20, lookTimes: 1 },
    });
    let ended: Promise<void> | undefined;
    const end = () => (ended ??= gateway.close());
    t.after(end);
    return { url: gateway.url, end };
  };
  let gateway = await open();
  const call = (method: string, at: string, body?: unknown, token = COLLEAGUE) =>
    fetch(gateway.url + at, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const make = async (more: object = {}) => {
    const response = await call('POST', '/v1/rollout', { ...DRAFT, ...more });
    assert.equal(response.status, 200, await response.clone().text());
    return ((await response.json()) as { RolloutId: string }).RolloutId;
  };
  const read = async (id: string) => (await (await call('GET', `/v1/rollout/${id}`)).json()) as Rollout;
  const steer = async (id: string, action: string, more: object = {}) =>
    call('POST', `/v1/rollout/${id}/${action}`, { Version: (await read(id)).Version, ...more });
  const devicesOf = async (id: string) =>
    ((await (await call('GET', `/v1/rollout/${id}/devices`)).json()) as { Items: RolloutDevice[] }).Items;
  const reaches = (id: string, state: string) => until(state, async () => (await read(id)).State === state);
  const restart = async () => {
    await gateway.end();
    gateway = await open();
  };
  return { plain, clock, call, make, read, steer, devicesOf, reaches, restart };
}

const submissions = ({ asked }: PlainV1) => asked.filter((each) => each === 'POST /v1/job').length;
/** Jobs are looked for by their names only once the connection of one has ended without an answer. */
const isLookedFor = ({ asked }: PlainV1) => asked.lastIndexOf('GET /v1/job') > asked.lastIndexOf('POST /v1/job');
/** How many jobs each device has. */
const perDevice = ({ jobs }: PlainV1) =>
  Object.values(Object.groupBy(jobs, ({ DeviceId }) => DeviceId)).map((each) => each?.length);

test('one wave after the other, one job for each device, each with a name of its own', async (t) => {
  const { plain, make, read, devicesOf, reaches } = await startBefore(t, 3);
  const id = await make();
  await until('the first job', () => plain.jobs.length === 1);
  assert.deepEqual((await devicesOf(id)).map(({ State }) => State).toSorted(), ['Pending', 'Pending', 'Waiting']);
  plain.runs = true;
  await reaches(id, 'Succeeded');
  assert.deepEqual(perDevice(plain), [1, 1, 1]);
  assert.equal(new Set(plain.jobs.map(({ JobName }) => JobName)).size, 3);
  const { Counts, Steps } = await read(id);
  assert.deepEqual(Counts, { Succeeded: 3 });
  assert.deepEqual(Steps.map(({ Text, ActorName }) => [Text, ActorName]).toReversed(), [
    ['Created', 'ops@example.com'],
    ['Wave 1 began on 1 device', ''],
    ['Wave 1 passed: 1 good, 1 needed', ''],
    ['Wave 2 began on 2 devices', ''],
    ['Wave 2 passed: 2 good, 2 needed', ''],
    ['All waves passed', ''],
  ]);
  const [first] = await devicesOf(id);
  assert.ok(plain.jobs.some(({ JobId }) => JobId === first?.JobId));
});

test('only the account of UPSTREAM_TOKEN sees rollouts, and no answer holds that token', async (t) => {
  const { plain, call, make, reaches } = await startBefore(t, 1);
  const id = await make();
  const flag = async (token: string) =>
    ((await (await call('GET', '/v1/account', undefined, token)).json()) as { Rollouts: boolean }).Rollouts;
  assert.deepEqual([await flag(COLLEAGUE), await flag(STRANGER)], [true, false]);
  for (const [method, at] of [
    ['GET', '/v1/rollout'],
    ['GET', `/v1/rollout/${id}`],
    ['POST', `/v1/rollout/${id}/abort`],
    ['DELETE', `/v1/rollout/${id}`],
  ] as const) {
    const body = method === 'POST' ? { Version: 1 } : undefined;
    assert.equal((await call(method, at, body, STRANGER)).status, 403, at);
    assert.equal((await call(method, at, body, 'no-token-of-it')).status, 401, at);
  }
  const list = (await (await call('GET', '/v1/rollout')).json()) as RolloutSummary[];
  assert.deepEqual(
    list.map(({ RolloutId }) => RolloutId),
    [id],
  );
  // A token that ends pauses what runs; the answer of the service repeats the token.
  await until('the job', () => plain.jobs.length === 1);
  plain.accounts.delete(OPERATOR);
  await reaches(id, 'Paused');
  const text = await (await call('GET', `/v1/rollout/${id}`)).text();
  assert.match(text, /refuses UPSTREAM_TOKEN/);
  assert.ok(!text.includes(OPERATOR));
});

test('a service that does not say whose a token is has no rollouts', async (t) => {
  const { plain, call } = await startBefore(t, 1);
  for (const token of [OPERATOR, COLLEAGUE]) plain.accounts.set(token, '');
  const refused = await call('GET', '/v1/rollout');
  assert.equal(refused.status, 403);
  assert.match(await refused.text(), /does not say whose account/);
});

test('a job whose answer was cut off is found by its name, and not submitted again', async (t) => {
  const { plain, make, reaches } = await startBefore(t, 3);
  plain.troubles.push('cut', 'cut');
  const id = await make();
  await until('the first job', () => plain.jobs.length === 1);
  plain.runs = true;
  await reaches(id, 'Succeeded');
  assert.deepEqual(perDevice(plain), [1, 1, 1]);
  assert.equal(submissions(plain), 3);
});

test('one that the service never had is sent again once its list can be trusted', async (t) => {
  const { plain, clock, make, reaches } = await startBefore(t, 2);
  const id = await make();
  await until('the first job', () => plain.jobs.length === 1);
  plain.troubles.push('lost');
  plain.finish(plain.jobs[0], 0);
  await until('the lost one', () => submissions(plain) === 2 && isLookedFor(plain));
  plain.runs = true;
  clock.offset += 121_000;
  await reaches(id, 'Succeeded');
  assert.deepEqual([perDevice(plain), submissions(plain)], [[1, 1], 3]);
});

test('the service has its two minutes from the end of the connection, and from a restart', async (t) => {
  const { plain, clock, make, reaches, restart } = await startBefore(t, 2);
  const id = await make();
  await until('the first job', () => plain.jobs.length === 1);
  plain.troubles.push('held');
  plain.finish(plain.jobs[0], 0);
  const held = await until('the held one', () => plain.held[0]);
  const looks = async () => {
    const before = plain.asked.length;
    const isList = (each: string) => each === 'GET /v1/job';
    await until('three looks', () => plain.asked.slice(before).filter(isList).length === 3);
    assert.equal(submissions(plain), 2);
  };
  clock.offset += 150_000;
  held.cut();
  await looks();
  clock.offset += 110_000;
  await restart();
  clock.offset += 110_000;
  await looks();
  held.act();
  plain.runs = true;
  clock.offset += 20_000;
  await reaches(id, 'Succeeded');
  assert.deepEqual([perDevice(plain), submissions(plain)], [[1, 1], 2]);
});

test('what cannot be known pauses the rollout, and is sent again when a person says so', async (t) => {
  const { plain, clock, make, read, steer, reaches } = await startBefore(t, 1);
  plain.troubles.push('lost');
  const id = await make({ Waves: [{ Percent: 100 }] });
  await until('the lost one', () => submissions(plain) === 1 && isLookedFor(plain));
  clock.offset += 121_000;
  await reaches(id, 'Paused');
  assert.match((await read(id)).Because, /^Whether .* has the job “pump 2\.0\.0.*” is not known/);
  assert.equal(submissions(plain), 1);
  plain.runs = true;
  assert.equal((await steer(id, 'resume')).status, 200);
  await reaches(id, 'Succeeded');
  assert.deepEqual([perDevice(plain), submissions(plain)], [[1], 2]);
});

test('a stop between the intention and the answer doubles no job', async (t) => {
  const { plain, make, reaches, restart } = await startBefore(t, 2);
  plain.troubles.push('hang');
  const id = await make();
  await until('the first job', () => plain.jobs.length === 1);
  await restart();
  plain.runs = true;
  await reaches(id, 'Succeeded');
  assert.deepEqual([perDevice(plain), submissions(plain)], [[1, 1], 2]);
});

test('it leaves a service alone that asks for a pause', async (t) => {
  const { plain, clock, make, reaches } = await startBefore(t, 1);
  plain.troubles.push({ status: 429, retryAfter: '1000' });
  const id = await make({ Waves: [{ Percent: 100 }] });
  await until('the refusal', () => submissions(plain) === 1);
  await reaches(id, 'Running');
  const before = plain.asked.length;
  plain.runs = true;
  clock.offset += 990_000;
  await reaches(id, 'Running');
  assert.deepEqual(
    plain.asked.slice(before).filter((each) => each !== 'GET /v1/account'),
    [],
  );
  clock.offset += 20_000;
  await reaches(id, 'Succeeded');
  assert.deepEqual([perDevice(plain), submissions(plain)], [[1], 2]);
});

test('a job that ends without an outcome is no success; a refused one is a failure with its reason', async (t) => {
  const { plain, make, read, devicesOf, reaches } = await startBefore(t, 1);
  const mute = await make({ Waves: [{ Percent: 100 }] });
  await until('the job', () => plain.jobs.length === 1);
  plain.finish(plain.jobs[0]);
  await reaches(mute, 'Paused');
  assert.deepEqual((await read(mute)).Counts, { NoAnswer: 1 });
  assert.match((await devicesOf(mute))[0]?.Because ?? '', /does not say how it ended/);
  plain.troubles.push({ status: 400 });
  const refused = await make({ Waves: [{ Percent: 100 }] });
  await reaches(refused, 'Paused');
  assert.match((await devicesOf(refused))[0]?.Because ?? '', /answered with 400: not now/);
});

test('a retry is a further attempt; an abort deletes what waits, and leaves alone what runs', async (t) => {
  const { plain, make, read, steer, devicesOf, reaches } = await startBefore(t, 2);
  const id = await make({ Waves: [{ Percent: 100 }] });
  await until('both jobs', () => plain.jobs.length === 2);
  plain.finish(plain.jobs[0], 1);
  await reaches(id, 'Paused');
  await steer(id, 'retry');
  await until('the second attempt', () => plain.jobs.length === 3);
  assert.equal(Math.max(...(await devicesOf(id)).map(({ Attempt }) => Attempt)), 2);
  plain.begin(plain.jobs[1]);
  const states = async () => (await devicesOf(id)).map(({ State }) => State).toSorted();
  await until('it runs', async () => (await states()).includes('Running'));
  assert.equal((await steer(id, 'abort')).status, 200);
  await until('the other is deleted', async () => (await states()).includes('Cancelled'));
  assert.deepEqual(await states(), ['Cancelled', 'Running']);
  assert.deepEqual([plain.jobs.length, (await read(id)).State], [2, 'Aborted']);
});

test('devices that are away keep a wave from passing; one that is deleted with its job does not count', async (t) => {
  const { plain, make, devicesOf, reaches } = await startBefore(t, 2);
  const id = await make({ Waves: [{ Percent: 100 }] });
  await until('both jobs', () => plain.jobs.length === 2);
  plain.devices[0]!.DeviceStatus = 'Offline';
  plain.devices.pop();
  plain.jobs.splice(
    plain.jobs.findIndex(({ DeviceId }) => DeviceId === 'd2'),
    1,
  );
  plain.runs = true;
  const states = async () => (await devicesOf(id)).map(({ State }) => State);
  await until('one is away', async () => (await states()).includes('NotBack'));
  assert.deepEqual(await states(), ['NotBack', 'Cancelled']);
  plain.devices[0]!.DeviceStatus = 'Online';
  await reaches(id, 'Succeeded');
});

test('newcomers of the group are in the last wave until it begins', async (t) => {
  const { plain, make, read, reaches } = await startBefore(t, 2);
  const id = await make({ IncludeNew: true });
  await until('the first job', () => plain.jobs.length === 1);
  plain.devices.push({ ...plain.devices[0]!, DeviceId: 'd9', DeviceName: 'pump 9' });
  plain.runs = true;
  await reaches(id, 'Succeeded');
  assert.deepEqual((await read(id)).Counts, { Succeeded: 3 });
});
