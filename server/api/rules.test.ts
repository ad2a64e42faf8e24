// Outcome rules, and the verdicts that the service makes by them.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { Job } from '#/contract/jobs.ts';
import type { RuleSet } from '#/contract/rules.ts';
import { FakeAgent } from '../test-agents.ts';
import { testFleet } from '../test-fleet.ts';
import type { TestFleet } from '../test-fleet.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { until } from '../../scripts/test-process.ts';

let service: TestService;
let fleet: TestFleet;
beforeEach(async () => {
  service = await startTestService();
  fleet = testFleet((...asked) => service.call(...asked));
});
afterEach(() => service.end());

const RULES = [
  { Find: 'all ok', Verdict: 'Succeeded' },
  { Find: '^rolled back', Pattern: true, Verdict: 'RolledBack' },
];
const save = (Rules: object[], headers?: Record<string, string>) =>
  service.call('PUT', '/v1/rules/w', { Rules }, headers);
const read = async (id: string) => (await (await service.call('GET', `/v1/job/${id}`)).json()) as Job;
const judged = (id: string, verdict: string | undefined) =>
  until(`${verdict} for ${id}`, async () => (await read(id)).Verdict === verdict);

/** Agents of devices that finish their job with these outputs. */
async function run(
  outputs: string[],
  target: { DeviceId: string } | { DeviceGroup: string },
  ids: { key: string }[],
): Promise<string> {
  const agents = await Promise.all(ids.map(({ key }) => FakeAgent.connect(service.url, key)));
  const job = await fleet.run('update', target);
  for (const [at, agent] of agents.entries()) agent.finish((await agent.receive('run')).job, 0, outputs[at] ?? '');
  await fleet.ended(job);
  for (const agent of agents) await agent.end();
  return job;
}

test('a job is judged when it ends, with the line that decided, and again when the rules change', async () => {
  assert.equal((await save(RULES)).status, 200);
  const device = await fleet.device();
  const job = await run(['x\nrolled back to 1.0\nall ok\n'], { DeviceId: device.id }, [device]);
  await judged(job, 'RolledBack');
  const { VerdictBecause, VerdictStream, VerdictLine, Status } = await read(job);
  assert.deepEqual(
    [Status, VerdictBecause, VerdictStream, VerdictLine],
    ['Succeeded', 'rule “^rolled back” at line 2', 'stdout', 2],
  );
  const [listed] = (await (await service.call('GET', '/v1/job')).json()) as Job[];
  assert.equal(listed?.Verdict, 'RolledBack');
  await save([{ Find: 'all ok', Verdict: 'Succeeded' }]);
  await judged(job, 'Succeeded');
  await save([{ Find: 'never printed', Verdict: 'Succeeded' }]);
  await judged(job, 'NoAnswer');
  await save([]);
  await judged(job, undefined);
});

test('a parent counts its devices by verdict and once each; changes of verdicts are reported', async () => {
  const devices = [await fleet.device('hall', 'a'), await fleet.device('hall', 'b'), await fleet.device('hall', 'c')];
  const job = await run(['all ok', 'rolled back', 'nothing'], { DeviceGroup: 'hall' }, devices);
  const { Version } = (await (await service.call('GET', '/v1/job?since=')).json()) as { Version: string };
  await save(RULES);
  await until('the verdicts', async () => (await read(job)).VerdictCounts?.['NoAnswer'] === 1);
  assert.deepEqual((await read(job)).VerdictCounts, { Succeeded: 1, RolledBack: 1, NoAnswer: 1 });
  assert.deepEqual((await read(job)).Counts, { Succeeded: 3 });
  const since = `/v1/job?since=${encodeURIComponent(Version)}`;
  await until('the change', async () => {
    const { Jobs } = (await (await service.call('GET', since)).json()) as { Jobs: Job[] };
    return Jobs.some(({ VerdictCounts }) => VerdictCounts?.['NoAnswer'] === 1);
  });
  // A retry that succeeds takes the place of the attempt before.
  const [, second] = devices;
  const agent = await FakeAgent.connect(service.url, second?.key ?? '');
  await service.call('POST', '/v1/job', { Name: 'again', DeviceIds: [second?.id], RetryOf: job });
  agent.finish((await agent.receive('run')).job, 0, 'all ok');
  await until('the retry', async () => (await read(job)).VerdictCounts?.['Succeeded'] === 2);
  assert.deepEqual((await read(job)).VerdictCounts, { Succeeded: 2, NoAnswer: 1 });
  await agent.end();
});

test('verdicts that were still to be made when the service stopped are made after the next start', async () => {
  const device = await fleet.device();
  const job = await run(['rolled back'], { DeviceId: device.id }, [device]);
  await save(RULES);
  await service.close();
  service = await startTestService({}, service.dataDir, service.clock);
  await judged(job, 'RolledBack');
});

test('a pattern that runs for ever holds nobody up, and the job says that it was not tried', async () => {
  const device = await fleet.device();
  const job = await run([`all ok\n${'a'.repeat(60)}!`], { DeviceId: device.id }, [device]);
  await save([...RULES, { Find: '(a+)+$', Pattern: true, Verdict: 'Failed' }]);
  assert.equal((await service.call('GET', '/v1/account')).status, 200);
  await judged(job, 'NoAnswer');
  assert.match((await read(job)).VerdictBecause ?? '', /“\(a\+\)\+\$”, which could not be tried: it takes too long/);
});

test('rules are tried without effect on one job, and counted on many', async () => {
  const devices = [await fleet.device('hall', 'a'), await fleet.device('hall', 'b')];
  const many = await run(['all ok', 'rolled back'], { DeviceGroup: 'hall' }, devices);
  const trial = async (JobId: string) =>
    (await service.call('POST', '/v1/rules/w/try', { Rules: RULES, JobId })).json() as Promise<object>;
  assert.deepEqual(await trial(many), { VerdictCounts: { Succeeded: 1, RolledBack: 1 }, Judged: 2 });
  const children = (await (await service.call('GET', `/v1/job/${many}/childjobs`)).json()) as Job[];
  const second = children.find(({ DeviceName }) => DeviceName === 'b');
  assert.deepEqual(await trial(second?.JobId ?? ''), {
    Verdict: 'RolledBack',
    VerdictBecause: 'rule “^rolled back” at line 1',
    VerdictStream: 'stdout',
    VerdictLine: 1,
    Each: [{}, { Stream: 'stdout', Line: 1, Text: 'rolled back' }],
  });
  assert.equal((await read(many)).VerdictCounts, undefined);
});

test('rules are listed with who changed them; a lost race and bad rules change nothing', async () => {
  await save(RULES);
  const listed = await service.call('GET', '/v1/rules');
  const etag = listed.headers.get('etag') ?? '';
  const [set] = (await listed.json()) as RuleSet[];
  assert.deepEqual(
    [set?.ArtifactName, set?.Rules[1]?.Verdict, set?.ChangedBy.slice(0, 6)],
    ['w', 'RolledBack', 'token:'],
  );
  await save([]);
  assert.equal((await save(RULES, { 'If-Match': etag })).status, 412);
  for (const Find of ['', '(', '.*']) {
    const refused = await save([{ Find, Pattern: true, Verdict: 'Failed' }]);
    assert.equal(refused.status, 400, Find);
  }
  assert.equal((await save([{ Find: 'x', Verdict: 'Lost' }])).status, 400);
  assert.deepEqual(await (await service.call('GET', '/v1/rules')).json(), []);
});
