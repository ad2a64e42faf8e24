// Rollouts from end to end, with agents that succeed, fail and stay away.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { AuditEntry } from '#/contract/audit.ts';
import type { Job } from '#/contract/jobs.ts';
import type { ProblemBody } from '#/contract/problem.ts';
import type { Rollout, RolloutDevice, RolloutRun, RolloutDraft } from '#/contract/rollouts.ts';
import type { SignInSession } from '#/contract/sign-in.ts';
import { join } from '../auth/test-people.ts';
import { FakeAgent } from '../test-agents.ts';
import { TestStream } from '../test-events.ts';
import { testFleet } from '../test-fleet.ts';
import type { TestFleet } from '../test-fleet.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { until } from '../../scripts/test-process.ts';

let service: TestService;
let fleet: TestFleet;
const agents: FakeAgent[] = [];
const start = async () => {
  service = await startTestService({}, service?.dataDir, service?.clock);
  fleet = testFleet((...asked) => service.call(...asked));
};
beforeEach(async () => {
  service = await startTestService();
  fleet = testFleet((...asked) => service.call(...asked));
});
afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.end();
  await service.end();
});

interface Unit {
  id: string;
  key: string;
}
const units = (count: number): Promise<Unit[]> =>
  fleet.devices(
    'hall',
    Array.from({ length: count }, (_, at) => `unit ${at + 1}`),
  );
async function connect({ key }: Unit): Promise<FakeAgent> {
  const agent = await FakeAgent.connect(service.url, key);
  agents.push(agent);
  return agent;
}
const finish = async (agent: FakeAgent, code = 0) => agent.finish((await agent.receive('run')).job, code, 'done');

async function draft(more: Partial<RolloutDraft> = {}): Promise<object> {
  return {
    Name: 'myapp 2',
    DeviceGroup: 'hall',
    WorkflowId: await fleet.workflow('true'),
    Waves: [{ Count: 1 }, { Percent: 100 }],
    Gate: { SuccessPercent: 100, OnlineMinutes: 0, TimeoutMinutes: 60 },
    PauseAfter: { FailedCount: 0 },
    Advance: 'auto',
    ...more,
  };
}
async function make(more: Partial<RolloutDraft> = {}): Promise<string> {
  const response = await service.call('POST', '/v1/rollout', await draft(more));
  assert.equal(response.status, 200, await response.clone().text());
  return ((await response.json()) as { RolloutId: string }).RolloutId;
}
const read = async (id: string) => (await (await service.call('GET', `/v1/rollout/${id}`)).json()) as Rollout;
const devices = async (id: string) =>
  ((await (await service.call('GET', `/v1/rollout/${id}/devices`)).json()) as { Items: RolloutDevice[] }).Items;
const words = async (id: string) =>
  (await devices(id)).map(({ State }): string => State).toSorted((one, other) => one.localeCompare(other));
const states = async (id: string) => (await devices(id)).map(({ DeviceName, State }) => [DeviceName, State]);
const reaches = (id: string, state: string) => until(state, async () => (await read(id)).State === state);
const waveJob = async (id: string, wave: number) => {
  await until(`wave ${wave}`, async () => (await read(id)).Waves[wave - 1]?.JobId !== '');
  return (await read(id)).Waves[wave - 1]?.JobId ?? '';
};
async function steer(id: string, action: string, more: object = {}): Promise<Response> {
  const { Version } = await read(id);
  return service.call('POST', `/v1/rollout/${id}/${action}`, { Version, ...more });
}

test('in lists, the job of a wave says of which rollout it is, and which wave of how many', async () => {
  await units(2);
  const id = await make();
  const first = await waveJob(id, 1);
  const other = await fleet.run('true', { DeviceGroup: 'hall' });
  const { Items } = (await (await service.call('GET', '/v1/jobs')).json()) as { Items: Job[] };
  const waveOf = (jobId: string) => {
    const { RolloutId, Wave, WaveCount } = Items.find(({ JobId }) => JobId === jobId) ?? assert.fail(jobId);
    return [RolloutId, Wave, WaveCount];
  };
  assert.deepEqual(waveOf(first), [id, 1, 2]);
  assert.deepEqual(waveOf(other), [undefined, undefined, undefined]);
});

test('one wave after the other, each an ordinary job, and every step is noted', async () => {
  const all = await units(3);
  const id = await make();
  assert.deepEqual(
    (await read(id)).Waves.map(({ Devices }) => Devices),
    [1, 2],
  );
  const first = await waveJob(id, 1);
  const [canary] = (await devices(id)).filter(({ Wave }) => Wave === 1);
  assert.deepEqual((await states(id)).filter(([, state]) => state === 'Pending').length, 2);
  await finish(await connect(all.find((unit) => unit.id === canary?.DeviceId)!));
  const second = await waveJob(id, 2);
  assert.notEqual(first, second);
  for (const unit of all) if (unit.id !== canary?.DeviceId) await finish(await connect(unit));
  await reaches(id, 'Succeeded');
  const { Steps, Counts, Wave, Because, EndTime } = await read(id);
  assert.deepEqual([Counts, Wave, Because, EndTime !== ''], [{ Succeeded: 3 }, 2, '', true]);
  assert.deepEqual(Steps.map(({ Text }) => Text).toReversed(), [
    'Created',
    'Wave 1 began on 1 device',
    'Wave 1 passed: 1 healthy, 1 required',
    'Wave 2 began on 2 devices',
    'Wave 2 passed: 2 healthy, 2 required',
    'All waves passed',
  ]);
  assert.equal((await service.call('DELETE', `/v1/rollout/${id}`)).status, 200);
  assert.equal((await service.call('GET', `/v1/job/${first}`)).status, 200);
});

test('a wave that begins by itself is audited as the act of its rollout', async () => {
  await units(1);
  const id = await make();
  const about = await waveJob(id, 1);
  const entries = async (what: string) =>
    ((await (await service.call('GET', `/v1/audit?about=${what}`)).json()) as { Items: AuditEntry[] }).Items.map(
      ({ Action, Actor, ActorName, Address }) => ({ Action, Actor, ActorName, Address }),
    );
  assert.deepEqual(await entries(about), [
    { Action: 'job.submit', Actor: `rollout:${id}`, ActorName: 'myapp 2', Address: '' },
  ]);
  const [created] = await entries(id);
  assert.equal(created?.Action, 'rollout.create');
  assert.doesNotMatch(created?.Actor ?? '', /^rollout:/);
});

test('a failure pauses it, and a retry that succeeds lets it go on', async () => {
  const [unit] = await units(1);
  const id = await make({ Waves: [{ Percent: 100 }] });
  const agent = await connect(unit!);
  await finish(agent, 3);
  await reaches(id, 'Paused');
  assert.equal((await read(id)).Because, '1 of 1 device failed in wave 1');
  assert.deepEqual(await states(id), [['unit 1', 'Failed']]);
  assert.equal((await devices(id))[0]?.Because, 'exit code 3');
  assert.equal((await steer(id, 'retry', { Reason: 'disk was full' })).status, 200);
  await finish(agent);
  await reaches(id, 'Succeeded');
  const [device] = await devices(id);
  assert.equal(device?.Attempt, 2);
  assert.equal((await read(id)).Steps.find(({ Text }) => Text === 'Retried')?.Reason, 'disk was full');
});

test('only the chosen failed devices try again, and the others do not pause it anew', async () => {
  const [first, second] = await units(2);
  const id = await make({
    Waves: [{ Percent: 100 }],
    Gate: { SuccessPercent: 50, OnlineMinutes: 0, TimeoutMinutes: 60 },
  });
  const agent = await connect(first!);
  await finish(agent, 3);
  await finish(await connect(second!), 4);
  await until('both failures', async () => (await read(id)).Counts['Failed'] === 2);
  await reaches(id, 'Paused');
  const none = await steer(id, 'retry', { DeviceIds: ['nobody'] });
  assert.deepEqual([none.status, /None of these devices/.test(await none.text())], [409, true]);
  assert.equal((await steer(id, 'retry', { DeviceIds: [first?.id] })).status, 200);
  await finish(agent);
  await reaches(id, 'Succeeded');
  assert.deepEqual(
    (await devices(id))
      .toSorted((one, other) => one.DeviceName.localeCompare(other.DeviceName))
      .map(({ DeviceName, Attempt, Because }) => [DeviceName, Attempt, Because]),
    [
      ['unit 1', 2, ''],
      ['unit 2', 1, 'exit code 4'],
    ],
  );
});

/** A rollout whose first wave is the first of two devices, which fails. */
async function stopped(more: Partial<RolloutDraft> = {}) {
  const all = await units(2);
  const [first, second] = all;
  const id = await make({ Waves: [{ DeviceIds: [first!.id] }, { Percent: 100 }], ...more });
  const agent = await connect(first!);
  await finish(agent, 3);
  await reaches(id, 'Paused');
  return { id, agent, first: first!, second: second! };
}

test('a resume that can do nothing is refused with what to do instead', async () => {
  const { id, agent } = await stopped();
  assert.deepEqual((await read(id)).Paused, { By: 'Gate', CanResume: false });
  const refused = await steer(id, 'resume');
  assert.equal(refused.status, 409);
  assert.match(
    await refused.text(),
    /Wave 1 cannot pass any more.*1 of 1 device failed\. Retry them, leave them out, or begin wave 2 anyway\./,
  );
  // Paused by a person: only while the wave can still pass.
  await steer(id, 'retry');
  const { job } = await agent.receive('run');
  await steer(id, 'pause');
  assert.deepEqual((await read(id)).Paused, { By: 'Person', CanResume: true });
  agent.finish(job, 3, 'done');
  await until('the failure', async () => (await read(id)).Counts['Failed'] === 1);
  assert.deepEqual((await read(id)).Paused, { By: 'Person', CanResume: false });
  assert.equal((await steer(id, 'resume')).status, 409);
});

test('before its first wave there is none to advance from', async () => {
  await units(1);
  const id = await make({ StartTime: '2100-01-01T00:00:00Z' });
  const refused = await steer(id, 'advance');
  assert.deepEqual([refused.status, (await read(id)).State], [409, 'Scheduled']);
});

test('once the failed devices are left out, the wave passes by itself and the next one begins', async () => {
  const { id, first, second } = await stopped();
  const unknown = await steer(id, 'skip', { DeviceIds: [first.id, 'nobody'] });
  assert.deepEqual([unknown.status, /nobody.{1,2} is in no wave/.test(await unknown.text())], [404, true]);
  // A device of a later wave changes nothing for this one.
  assert.equal((await steer(id, 'skip', { DeviceIds: [second.id] })).status, 200);
  assert.equal((await read(id)).State, 'Paused');
  assert.equal((await steer(id, 'skip', { DeviceIds: [first.id, second.id] })).status, 200);
  await reaches(id, 'Succeeded');
  const { Steps, Counts } = await read(id);
  assert.deepEqual(Counts, { Skipped: 2 });
  const texts = Steps.map(({ Text }) => Text);
  for (const text of ['Left out unit 2', 'Left out 2 devices']) assert.ok(texts.includes(text), text);
});

test('leaving out some of the failed devices forgives no other, and what a person paused stays paused', async () => {
  const all = await units(4);
  const id = await make({ Waves: [{ Percent: 100 }], PauseAfter: { FailedCount: 1 } });
  for (const unit of all.slice(0, 3)) await finish(await connect(unit), 3);
  await until('the failures', async () => (await read(id)).Counts['Failed'] === 3);
  await reaches(id, 'Paused');
  const without = (count: number) => steer(id, 'skip', { DeviceIds: all.slice(0, count).map((unit) => unit.id) });
  await without(1);
  assert.deepEqual(
    [(await read(id)).State, (await read(id)).Because],
    ['Paused', '2 of 3 devices failed in wave 1, more than 1'],
  );
  await without(3);
  assert.equal((await read(id)).State, 'Running');
  await steer(id, 'pause');
  await steer(id, 'skip', { DeviceIds: [all[3]?.id] });
  assert.equal((await read(id)).State, 'Paused');
});

test('the next wave begins anyway where the gate paused the rollout; after the last one it ends', async () => {
  const { id, second } = await stopped();
  assert.equal((await steer(id, 'advance')).status, 200);
  await finish(await connect(second), 3);
  await until('the second pause', async () => {
    const { State, Wave } = await read(id);
    return State === 'Paused' && Wave === 2;
  });
  const refused = await (await steer(id, 'resume')).text();
  assert.match(refused, /Retry them, leave them out, or finish without them\./);
  assert.equal((await steer(id, 'advance')).status, 200);
  await reaches(id, 'Succeeded');
});

test('the figures of a wave are those of its gate; what failed since is beside them, and its start is that of its job', async () => {
  const [first, second] = await units(2);
  const id = await make({
    Waves: [{ Percent: 100 }],
    Gate: { SuccessPercent: 50, OnlineMinutes: 0, TimeoutMinutes: 60 },
    PauseAfter: { FailedPercent: 100 },
    Advance: 'confirm',
  });
  await waveJob(id, 1);
  const [{ StartTime } = assert.fail()] = (await read(id)).Waves;
  service.clock.offset += 10 * 60_000;
  await steer(id, 'pause');
  await steer(id, 'resume');
  const agent = await connect(first!);
  const late = await connect(second!);
  const { job } = await late.receive('run');
  await finish(agent);
  await until('its pass', async () => (await read(id)).Waves[0]?.State === 'Passed');
  late.finish(job, 1, 'late');
  await until('the failure', async () => (await read(id)).Counts['Failed'] === 1);
  const [wave] = (await read(id)).Waves;
  const { BackTime: _, ...gate } = wave?.Gate ?? assert.fail();
  assert.deepEqual(gate, { Success: 1, BackOnline: 1, Needed: 1, Passed: true, Since: { Failed: 1, Offline: 0 } });
  assert.equal(wave?.StartTime, StartTime);
});

test('a device that succeeds and stays away keeps the next wave from beginning, and pauses at the time limit', async () => {
  const all = await units(2);
  const id = await make({ Gate: { SuccessPercent: 100, OnlineMinutes: 5, TimeoutMinutes: 30 } });
  await waveJob(id, 1);
  const canary = (await devices(id)).find(({ Wave }) => Wave === 1)?.DeviceId;
  const agent = await connect(all.find((unit) => unit.id === canary)!);
  await finish(agent);
  await until('its end', async () => (await read(id)).Waves[0]?.Gate.Success === 1);
  await agent.end();
  await until('NotBack', async () => (await devices(id)).some(({ State }) => State === 'NotBack'));
  service.clock.offset += 31 * 60_000;
  await reaches(id, 'Paused');
  assert.match((await read(id)).Because, /0 of 1 required device is healthy, 1 device is still offline$/);
  assert.equal((await read(id)).Waves[1]?.JobId, '');
  // It comes back, and has been Online for long enough.
  await connect(all.find((unit) => unit.id === canary)!);
  await steer(id, 'resume');
  await until('it is back', async () => (await devices(id)).some(({ State }) => State === 'Succeeded'));
  service.clock.offset += 6 * 60_000;
  await waveJob(id, 2);
});

test('devices that are still offline at the time limit are left out, and the next wave begins', async () => {
  const [first, second] = await units(2);
  const id = await make({
    Waves: [{ DeviceIds: [first!.id] }, { Percent: 100 }],
    Gate: { SuccessPercent: 100, OnlineMinutes: 0, TimeoutMinutes: 30 },
  });
  await waveJob(id, 1);
  service.clock.offset += 31 * 60_000;
  await reaches(id, 'Paused');
  assert.deepEqual((await read(id)).Paused, { By: 'Gate', CanResume: true });
  assert.equal((await steer(id, 'skip', { DeviceIds: [first!.id] })).status, 200);
  await finish(await connect(second!));
  await reaches(id, 'Succeeded');
});

test('two people cannot steer against each other: the second sees what the first did', async () => {
  await units(2);
  const id = await make();
  await waveJob(id, 1);
  const { Version } = await read(id);
  const pause = (Reason: string) => service.call('POST', `/v1/rollout/${id}/pause`, { Version, Reason });
  assert.equal((await pause('lunch')).status, 200);
  const second = await pause('too late');
  assert.equal(second.status, 409);
  assert.match(await second.text(), /Paused, by \S.* at .*It is Paused now/);
  assert.equal((await steer(id, 'pause')).status, 409);
  assert.equal((await service.call('DELETE', `/v1/rollout/${id}`)).status, 409);
});

test('a person who lost the right between the page and the click is told so, and nothing happens', async () => {
  const all = await units(2);
  const eve = await join(service, 'eve@example.org', 'Operator');
  const id = await make();
  await waveJob(id, 1);
  const [canary] = (await devices(id)).filter(({ Wave }) => Wave === 1);
  await finish(await connect(all.find((unit) => unit.id === canary?.DeviceId)!), 1);
  await reaches(id, 'Paused');
  const seen = await eve.get<Rollout>('GET', `/v1/rollout/${id}`);
  for (const [change, status, said] of [
    [{ Role: 'Deployer' }, 403, /does not permit this.*needs the role Operator; yours is Deployer/],
    [{ Role: 'Viewer' }, 403, /does not permit this.*needs the role Deployer; yours is Viewer/],
    [{ Role: 'Operator', Groups: ['yard'] }, 404, new RegExp(`No rollout .*${id}`)],
    [{ Groups: [], Disabled: true }, 401, /Not signed in/],
  ] as const) {
    assert.equal((await service.call('PATCH', `/v1/people/${eve.id}`, change)).status, 200);
    // Whatever is taken away ends the sessions: the page asks to sign in again, and sends nothing by itself.
    assert.equal((await eve.ask('POST', `/v1/rollout/${id}/advance`, { Version: seen.Version })).status, 401);
    if (status !== 401) await eve.signIn('eve@example.org');
    for (const action of ['advance', 'retry']) {
      const answer = await eve.ask('POST', `/v1/rollout/${id}/${action}`, { Version: seen.Version });
      const { title, detail = '' } = (await answer.json()) as ProblemBody;
      assert.equal(answer.status, status, `${action} after ${JSON.stringify(change)}: ${title}`);
      assert.match(`${title}. ${detail}`, said);
    }
  }
  // The browser of who was locked out is told by whom.
  const { Ended } = await eve.get<SignInSession>('GET', '/auth/session');
  assert.equal(Ended?.Because, 'Disabled');
  assert.deepEqual((await read(id)).Steps, seen.Steps);
});

test('an abort cancels what waits; a device that is left out or deleted does not count', async () => {
  const all = await units(3);
  const id = await make({ Waves: [{ Percent: 100 }] });
  await waveJob(id, 1);
  assert.equal((await steer(id, 'skip', { DeviceIds: [all[0]?.id] })).status, 200);
  await service.call('DELETE', `/v1/devices/${all[1]?.id}`);
  assert.deepEqual(await words(id), ['Cancelled', 'Skipped', 'Waiting']);
  assert.equal((await read(id)).Waves[0]?.Gate.Needed, 1);
  assert.equal((await steer(id, 'abort')).status, 200);
  assert.deepEqual(await words(id), ['Cancelled', 'Cancelled', 'Skipped']);
  assert.deepEqual(await fleet.jobs().then((jobs) => jobs.map(({ Status }) => Status)), ['Cancelled']);
});

test('a person lets the next wave begin; newcomers are in the last wave until it begins', async () => {
  const all = await units(2);
  const id = await make({ Advance: 'confirm', IncludeNew: true });
  await waveJob(id, 1);
  const canary = (await devices(id)).find(({ Wave }) => Wave === 1)?.DeviceId;
  await finish(await connect(all.find((unit) => unit.id === canary)!));
  await reaches(id, 'Waiting');
  await fleet.device('hall', 'newcomer');
  assert.equal((await steer(id, 'advance')).status, 200);
  await waveJob(id, 2);
  assert.deepEqual(
    (await states(id)).filter(([name]) => name === 'newcomer'),
    [['newcomer', 'Waiting']],
  );
  assert.equal((await read(id)).Waves[0]?.Advanced, undefined, 'it had passed, and was only confirmed');
});

test('a wave that a person ended before its gate says so, also after it has passed others', async () => {
  const all = await units(2);
  const id = await make({ Waves: [{ Count: 1 }, { Percent: 100 }] });
  const first = await waveJob(id, 1);
  assert.equal((await steer(id, 'advance')).status, 200);
  await waveJob(id, 2);
  for (const unit of all) await finish(await connect(unit));
  await reaches(id, 'Succeeded');
  const { Waves } = await read(id);
  assert.equal(Waves[0]?.JobId, first);
  assert.deepEqual(
    Waves.map(({ State, Advanced }) => [State, Advanced]),
    [
      ['Passed', true],
      ['Passed', undefined],
    ],
  );
});

test('after a restart it goes on where it was, without another job for anybody', async () => {
  const all = await units(4);
  const id = await make({ Waves: [{ Count: 2 }, { Percent: 100 }] });
  const first = await waveJob(id, 1);
  await service.close();
  await start();
  for (const unit of all) await connect(unit);
  // Those of the second wave wait for those of the first.
  await Promise.all(agents.map((agent) => finish(agent)));
  await reaches(id, 'Succeeded');
  assert.equal((await read(id)).Waves[0]?.JobId, first);
  assert.equal((await fleet.jobs()).length, 2);
});

test('a plan shows the waves and who is Offline, and writes nothing; bad drafts are refused', async () => {
  const all = await units(4);
  await connect(all[0]!);
  await until('it is Online', async () => {
    const plan = (await (await service.call('POST', '/v1/rollout/plan', await draft())).json()) as {
      Waves: { Devices: string[]; Offline: number }[];
    };
    return plan.Waves.reduce((sum, { Offline }) => sum + Offline, 0) === 3;
  });
  assert.deepEqual(await (await service.call('GET', '/v1/rollout')).json(), []);
  const windows = { Windows: [{ Days: ['Mon' as const], From: '22:00', To: '04:00', Zone: 'UTC' }] };
  const zones = async (more: object) =>
    ((await (await service.call('POST', '/v1/rollout/plan', await draft(more))).json()) as Rollout).Zones;
  assert.deepEqual(await zones(windows), { Version: process.versions.tz, Outdated: [] });
  assert.equal(await zones({}), undefined);
  for (const wrong of [
    { Waves: [] },
    { Waves: [{ Percent: 10, Count: 2 }] },
    { DeviceGroup: 'nobody' },
    { TagId: 't' },
    { PauseAfter: {} },
    { Windows: [{ Days: ['Mon'], From: '22:00', To: '04:00', Zone: 'Mars/Olympus' }] },
    { Waves: [{ Percent: 50 }, { Count: 1 }, { Percent: 50 }] },
  ] as Partial<RolloutDraft>[])
    assert.equal((await service.call('POST', '/v1/rollout', await draft(wrong))).status, 400, JSON.stringify(wrong));
  for (const path of ['/v1/rollout', '/v1/rollout/plan']) {
    const refused = await service.call('POST', path, await draft({ Waves: [{ Percent: 50 }, { Percent: 10 }] }));
    assert.equal(refused.status, 400, path);
    assert.match(await refused.text(), /wave 2 must be more than the 50 % of wave 1/);
  }
});

test('a rollout with windows says which zone data they are read with', async () => {
  await units(1);
  const id = await make({ Windows: [{ Days: ['Mon'], From: '22:00', To: '04:00', Zone: 'UTC' }] });
  assert.deepEqual((await read(id)).Zones, { Version: process.versions.tz, Outdated: [] });
});

test('devices by state, all of them in groups, and an event for each step', async () => {
  const all = await units(3);
  const agent = await connect(all[0]!);
  const stream = await TestStream.open(service);
  const chosen = all[0]?.id ?? '';
  const id = await make({ Waves: [{ DeviceIds: [chosen] }, { Percent: 100 }], PauseAfter: { FailedCount: 0 } });
  await finish(agent, 1);
  await reaches(id, 'Paused');
  await until('the event', () => stream.events.some(({ data }) => [data.Rollouts].flat().includes(id)));
  const failed = (await (await service.call('GET', `/v1/rollout/${id}/devices?state=Failed&wave=1`)).json()) as {
    Items: RolloutDevice[];
  };
  assert.deepEqual(
    failed.Items.map(({ DeviceId }) => DeviceId),
    [chosen],
  );
  const runs = (await (await service.call('GET', `/v1/rollout/${id}/runs`)).json()) as RolloutRun[];
  assert.deepEqual(
    runs.map(({ DeviceId, Wave, State }) => [DeviceId, Wave, State]),
    [[chosen, 1, 'Failed']],
  );
  const [from = 0, to = 0] = [runs[0]?.StartTime, runs[0]?.EndTime].map((text) => Date.parse(text ?? ''));
  const count = async (filter: string) => {
    const listed = await service.call('GET', `/v1/rollout/${id}/devices?${filter}`);
    return ((await listed.json()) as { Items: unknown[] }).Items.length;
  };
  assert.equal(await count(`during=${from}-${to + 1}`), 1);
  assert.equal(await count(`during=${to + 1}-${to + 2}`), 0, 'it had ended');
  assert.equal(await count(`during=0-${from}`), 0, 'it had not begun');
  assert.equal(await count(`took=${to - from}-${to - from + 1}`), 1);
  assert.equal(await count(`took=${to - from + 1}-${to - from + 2}`), 0);
  assert.equal((await service.call('GET', `/v1/rollout/${id}/devices?took=long`)).status, 400);
  const groups = await (await service.call('GET', `/v1/rollout/${id}/states`)).json();
  const others = all.slice(1).map((unit) => unit.id);
  assert.deepEqual(groups, [
    { Wave: 1, State: 'Failed', DeviceIds: [chosen] },
    { Wave: 2, State: 'Pending', DeviceIds: others.toSorted() },
  ]);
});

test('whoever wants to know is told that a rollout ended, and how many devices took it', async () => {
  const channel = { Name: 'Ops', Kind: 'webhook', Url: 'https://receiver.invalid/', Format: 'json' };
  const { ChannelId } = (await (await service.call('POST', '/v1/alerts/channels', channel)).json()) as {
    ChannelId: string;
  };
  const rule = { ForMinutes: 0, QuietMinutes: 0, Channels: [ChannelId] };
  for (const When of ['RolloutEnded', 'RolloutPaused'])
    await service.call('POST', '/v1/alerts/rules', { Name: When, When, ...rule });
  const [first, second] = await units(2);
  const id = await make({ Waves: [{ DeviceIds: [first?.id ?? ''] }, { Percent: 100 }] });
  await finish(await connect(first!));
  await waveJob(id, 2);
  await finish(await connect(second!));
  await reaches(id, 'Succeeded');
  const aborted = await make({ Name: 'myapp 3' });
  await waveJob(aborted, 1);
  await steer(aborted, 'abort', { Reason: 'the wrong version' });
  const texts = async () =>
    ((await (await service.call('GET', '/v1/alerts/deliveries')).json()) as { Items: { Text: string }[] }).Items.map(
      ({ Text }) => Text,
    ).toReversed();
  await until('both messages', async () => (await texts()).length === 2);
  assert.deepEqual(await texts(), [
    'The rollout “myapp 2” succeeded: 2 of 2 devices took it.',
    'The rollout “myapp 3” was aborted: 0 of 2 devices took it. the wrong version.',
  ]);
});

test('what became of its devices stays as it was at the end, and aborted ones wait for what still runs', async () => {
  const [first, second] = await units(2);
  const agent = await connect(first!);
  const id = await make({ DeviceGroup: undefined, Waves: [{ Percent: 100 }], DeviceIds: [first?.id ?? ''] });
  await finish(agent);
  await reaches(id, 'Succeeded');
  const slow = await connect(second!);
  const aborted = await make({ DeviceGroup: undefined, Waves: [{ Percent: 100 }], DeviceIds: [second?.id ?? ''] });
  const running = await slow.receive('run');
  await steer(aborted, 'abort');
  slow.finish(running.job, 1, 'broken');
  const { db } = service.context;
  await until('both to be kept', async () => (await db.get('SELECT 1 FROM rollouts WHERE kept IS NULL')) === undefined);
  for (const each of agents.splice(0)) await each.end();
  for (const job of await fleet.jobs()) await fleet.remove(job.JobId);
  assert.deepEqual((await read(id)).Counts, { Succeeded: 1 });
  assert.deepEqual(await states(id), [['unit 1', 'Succeeded']]);
  assert.deepEqual(await states(aborted), [['unit 2', 'Failed']]);
});
