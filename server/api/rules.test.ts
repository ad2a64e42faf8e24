// Outcome rules, and the verdicts that the service makes by them.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { OUTPUT_PIECE } from '#/contract/agent-link.ts';
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

test('a pattern that backtracks for ever elsewhere is tried, and holds nobody up', async () => {
  const [device, other] = [await fleet.device(), await fleet.device()];
  await save([...RULES, { Find: '^(.|x)*done', Pattern: true, Verdict: 'Failed' }]);
  const agent = await FakeAgent.connect(service.url, device.key);
  const job = await fleet.run('update', { DeviceId: device.id });
  await agent.receive('run');
  agent.say({ type: 'started', job, ago: 0 });
  const line = Buffer.from(`${'x'.repeat(2_000_000)}\nall ok\n`);
  for (let offset = 0; offset < line.length; offset += OUTPUT_PIECE) {
    const data = line.subarray(offset, offset + OUTPUT_PIECE).toString('base64');
    agent.say({ type: 'output', job, stream: 'stdout', offset, data });
  }
  agent.say({ type: 'ended', job, outcome: 'exited', exitCode: 0, endedAgo: 0 });
  await judged(job, 'Succeeded');
  await agent.end();
  const beside = await run(['rolled back'], { DeviceId: other.id }, [other]);
  await judged(beside, 'RolledBack');
  const tried = await service.call('POST', '/v1/rules/w/try', {
    Rules: [{ Find: '^(.|x)*done', Pattern: true, Verdict: 'Failed' }],
    JobId: job,
  });
  assert.equal(tried.status, 200);
  assert.equal(((await tried.json()) as Job).Verdict, 'Succeeded');
});

test('a rule of an earlier version that cannot be run is listed as to be rewritten, and never a success', async () => {
  await save(RULES);
  const Find = '^all ok(?=$)';
  const old = [...RULES, { Find, Pattern: true, CaseSensitive: false, Stream: 'both', Verdict: 'Succeeded' }].map(
    (rule) => ({ Pattern: false, CaseSensitive: false, Stream: 'both', ...rule }),
  );
  await service.context.db.write((tx) => tx.run('UPDATE outcome_rules SET rules = ?', JSON.stringify(old)));
  const [set] = (await (await service.call('GET', '/v1/rules')).json()) as RuleSet[];
  assert.equal(set?.Rules.length, 3);
  assert.equal(set?.MustRewrite?.[0]?.Find, Find);
  assert.match(set?.MustRewrite?.[0]?.Fault ?? '', /^look-ahead “\(\?=” cannot be used/);

  const devices = [await fleet.device('hall'), await fleet.device('hall')];
  const job = await run(['all ok', 'rolled back'], { DeviceGroup: 'hall' }, devices);
  await until('the verdicts', async () => (await read(job)).VerdictCounts?.['RolledBack'] === 1);
  assert.deepEqual((await read(job)).VerdictCounts, { NoAnswer: 1, RolledBack: 1 });
  const children = (await (await service.call('GET', `/v1/job/${job}/childjobs`)).json()) as Job[];
  const unclear = children.find(({ Verdict }) => Verdict === 'NoAnswer');
  assert.match(unclear?.VerdictBecause ?? '', /^rule “\^all ok\(\?=\$\)”, which must be rewritten: look-ahead/);

  const refused = await save(old);
  assert.equal(refused.status, 400);
  assert.match(await refused.text(), /Rules\.2\.Find Look-ahead “\(\?=” cannot be used: write what follows/);
  const tried = await service.call('POST', '/v1/rules/w/try', { Rules: old, JobId: unclear?.JobId });
  const { Verdict, Each } = (await tried.json()) as { Verdict: string; Each: { Line?: number; Fault?: string }[] };
  assert.equal(Verdict, 'NoAnswer');
  assert.deepEqual([Each[0]?.Line, Each[2]?.Line], [1, undefined]);
  assert.match(Each[2]?.Fault ?? '', /^Look-ahead/);
});

test('a rule that an earlier version read differently judges again only after an Admin has confirmed or somebody edited it', async () => {
  const Find = String.raw`^\[[^]]+\] FAIL`;
  const plain = { CaseSensitive: false, Stream: 'both' };
  const bad = { ...plain, Find, Pattern: true, Verdict: 'Failed' };
  const Rules = [
    bad,
    { ...plain, Find: String.raw`^\d+ ok$`, Pattern: true, Verdict: 'Succeeded' },
    { ...plain, Find: 'restored', Pattern: false, Verdict: 'RolledBack' },
  ];
  const store = () =>
    service.context.db.write((tx) => tx.run('UPDATE outcome_rules SET rules = ?', JSON.stringify(Rules)));
  const listed = async () => ((await (await service.call('GET', '/v1/rules')).json()) as RuleSet[])[0];
  await save(RULES);
  assert.equal((await listed())?.Review, undefined);
  const [one, two, three] = [await fleet.device(), await fleet.device(), await fleet.device()];
  const earlier = await run(['all ok'], { DeviceId: one.id }, [one]);
  await judged(earlier, 'Succeeded');

  // As an earlier version stored them.
  await store();
  const set = await listed();
  assert.deepEqual(set?.Rules, Rules);
  assert.deepEqual(set?.Review, [{ Find, Before: String.raw`^\[[\x00-\x{10FFFF}]]+\] FAIL` }]);
  const failed = await run(['[app] FAIL\n3 ok\n'], { DeviceId: two.id }, [two]);
  await judged(failed, 'NoAnswer');
  assert.equal(
    (await read(failed)).VerdictBecause,
    `rule “${Find}”, which needs review: this version reads its pattern differently`,
  );
  // What other rules find counts, and what was judged before stays.
  const back = await run(['[app] FAIL\nrestored\n'], { DeviceId: three.id }, [three]);
  await judged(back, 'RolledBack');
  assert.equal((await read(earlier)).Verdict, 'Succeeded');
  const tried = await service.call('POST', '/v1/rules/w/try', { Rules, JobId: failed });
  assert.equal(((await tried.json()) as Job).Verdict, 'Failed');

  // Saving others, or saving it without having reviewed it, is no confirmation.
  assert.equal((await save([...Rules, RULES[0] ?? {}])).status, 200);
  assert.equal((await listed())?.Review?.length, 1);
  const made = await service.call('POST', '/v1/account/tokens', { Name: 'd', Owner: 'account', Role: 'Deployer' });
  const deployer = { Authorization: `Bearer ${((await made.json()) as { Token: string }).Token}` };
  const put = (headers: Record<string, string>, Reviewed: boolean) =>
    service.call('PUT', '/v1/rules/w', { Rules, Reviewed }, headers);
  assert.equal((await put(deployer, true)).status, 403);
  assert.equal((await put(deployer, false)).status, 200);
  assert.equal((await listed())?.Review?.length, 1);
  assert.equal((await put({}, true)).status, 200);
  assert.deepEqual([(await listed())?.Rules, (await listed())?.Review], [Rules, undefined]);
  await judged(failed, 'Failed');

  await store();
  assert.equal((await listed())?.Review?.length, 1);
  assert.equal((await save([{ ...bad, Find: 'FAIL$' }])).status, 200);
  assert.equal((await listed())?.Review, undefined);
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
