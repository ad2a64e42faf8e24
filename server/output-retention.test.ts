// The limits of stored output, by size and by age: the oldest is removed first, after an announcement, and the job
// remains.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import type { Account } from '#/contract/account.ts';
import { FakeAgent } from './test-agents.ts';
import { testBulk } from './test-bulk.ts';
import { testFleet } from './test-fleet.ts';
import type { TestFleet } from './test-fleet.ts';
import { startTestService } from './test-service.ts';
import type { TestService } from './test-service.ts';

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
const MB = 1024 * 1024;
const PIECE = 48 * 1024;
let service: TestService;
let fleet: TestFleet;
let device: { id: string; key: string } | undefined;
let agent: FakeAgent;
let printed: string;

async function start(env: Record<string, string>): Promise<void> {
  service = await startTestService(env, service?.dataDir, service?.clock);
  fleet = testFleet((...asked) => service.call(...asked));
}
beforeEach(async () => {
  printed = '';
  device = undefined;
  service = await startTestService();
  await service.close();
});
afterEach(async () => {
  mock.restoreAll();
  await agent.end();
  await service.end();
});
async function connect(): Promise<void> {
  device ??= await fleet.device();
  agent = await FakeAgent.connect(service.url, device.key);
}
/** Runs a job with this much output. */
async function run(bytes: number): Promise<string> {
  const id = await fleet.run('c', { DeviceId: device?.id ?? '' });
  const { job } = await agent.receive('run');
  agent.say({ type: 'started', job, ago: 0 });
  for (let offset = 0; offset < bytes; offset += PIECE) {
    const data = Buffer.alloc(Math.min(PIECE, bytes - offset), 'x').toString('base64');
    agent.say({ type: 'output', job, stream: 'stdout', offset, data });
  }
  agent.say({ type: 'ended', job, outcome: 'exited', exitCode: 0, endedAgo: 0 });
  await fleet.ended(id);
  return id;
}
const account = async () => (await (await service.call('GET', '/v1/account')).json()) as Account;
const sizes = (ids: string[]) => Promise.all(ids.map(async (id) => (await fleet.job(id)).Stdout?.length));
const watchLog = () => mock.method(process.stdout, 'write', (text: string) => (printed += text) !== '');
const sweep = () => service.context.retention.sweep();

test('at the limit the oldest output goes, new output is taken, and the job says what became of its own', async () => {
  await start({ JOB_OUTPUT_MB: '1' });
  await connect();
  const ids = [await run(400_000), await run(400_000), await run(200_000)];
  await sweep();
  assert.deepEqual(await sizes(ids), [400_000, 400_000, 200_000]);
  const { OutputBytesUsed, OutputBytesLimit, OutputRemoval } = await account();
  assert.deepEqual([OutputBytesUsed, OutputBytesLimit, OutputRemoval], [1_000_000, MB, undefined]);

  ids.push(await run(300_000));
  const list = await service.call('GET', '/v1/job');
  await sweep();
  assert.deepEqual(await sizes(ids), [0, 400_000, 200_000, 300_000]);
  assert.equal((await account()).OutputBytesUsed, 900_000);
  const [oldest] = await fleet.jobs();
  const { Status, Result, OutputRemovedBecause, OutputRemovedTime } = await fleet.job(ids[0] ?? '');
  assert.deepEqual([oldest?.JobId, Status], [ids[0], 'Succeeded']);
  assert.equal(OutputRemovedBecause, 'the limit of 1.0 MB was reached (JOB_OUTPUT_MB)');
  assert.ok(Date.parse(OutputRemovedTime ?? '') > 0);
  assert.match(Result, /^Its output was removed on .* UTC: the limit of 1\.0 MB was reached/);
  const changed = await service.call('GET', '/v1/job', undefined, { 'If-None-Match': list.headers.get('ETag') ?? '' });
  assert.equal(changed.status, 200);

  // Output that was deleted with its job no longer counts.
  await fleet.remove(ids[1] ?? '');
  assert.equal((await account()).OutputBytesUsed, 500_000);
});

test('output that is too old goes after it was announced, and not at once after a start', async () => {
  await start({});
  await connect();
  const old = await run(1000);
  service.clock.offset += 5 * DAY;
  const fresh = await run(1000);
  assert.equal((await account()).OutputDays, undefined);
  await agent.end();
  await service.close();

  watchLog();
  await start({ JOB_OUTPUT_DAYS: '3' });
  await connect();
  await sweep();
  assert.deepEqual(await sizes([old, fresh]), [1000, 1000]);
  assert.match(
    printed,
    /From .* UTC on the output of 1 job will be removed \(0\.0 MB\): JOB_OUTPUT_DAYS allows 3 days\./,
  );
  const { OutputDays, OutputRemoval } = await account();
  assert.deepEqual([OutputDays, OutputRemoval?.Jobs, OutputRemoval?.Bytes], [3, 1, 1000]);
  assert.equal(OutputRemoval?.Because, 'JOB_OUTPUT_DAYS');

  service.clock.offset += HOUR + 1000;
  await sweep();
  assert.deepEqual(await sizes([old, fresh]), [0, 1000]);
  assert.match(printed, /Removed the output of 1 job \(0\.0 MB\): older than 3 days \(JOB_OUTPUT_DAYS\)/);
  assert.equal((await account()).OutputRemoval, undefined);
});

test('a limit that was lowered takes an hour to bite; a clock set years ahead takes nothing at once', async () => {
  await start({});
  await connect();
  const ids = [await run(900_000), await run(900_000)];
  await agent.end();
  await service.close();
  watchLog();
  await start({ JOB_OUTPUT_MB: '1', JOB_OUTPUT_DAYS: '30' });
  await connect();
  await sweep();
  assert.deepEqual(await sizes(ids), [900_000, 900_000]);
  assert.match(printed, /the oldest output of jobs will be removed \(0\.7 MB\): JOB_OUTPUT_MB allows 1\.0 MB/);
  service.clock.set += 3650 * DAY;
  await service.context.clock.check();
  await sweep();
  assert.deepEqual(await sizes(ids), [900_000, 900_000]);
  service.clock.set -= 3650 * DAY;
  await service.context.clock.check();
  service.clock.offset += HOUR + 1000;
  await sweep();
  assert.deepEqual(await sizes(ids), [0, 900_000]);
});

test('output of archived jobs never becomes too old, and is removed by size only when there is no other', async () => {
  await start({ JOB_OUTPUT_DAYS: '3' });
  await connect();
  const bulk = testBulk((...asked) => service.call(...asked));
  const DeviceIds = [device?.id];
  const WorkflowId = await fleet.workflow('c');
  const parent = await fleet.submit({ DeviceIds, WorkflowId });
  agent.finish((await agent.receive('run')).job, 0, 'of a child');
  await fleet.ended(parent);
  const [archived, other] = [await run(300_000), await run(300_000)];
  assert.deepEqual(await bulk.outcomes({ Action: 'archive', Jobs: [parent, archived] }), ['Done', 'Done']);
  service.clock.offset += 5 * DAY;
  await sweep();
  assert.deepEqual(await sizes([archived, other]), [300_000, 0]);
  assert.equal((await fleet.children(parent))[0]?.Stdout, 'of a child');
  assert.equal((await account()).OutputRemoval, undefined);

  const fresh = await run(900_000);
  await agent.end();
  await service.close();
  await start({ JOB_OUTPUT_MB: '1' });
  await connect();
  service.clock.offset += HOUR + 1000;
  await sweep();
  assert.deepEqual(await sizes([archived, fresh]), [300_000, 0]);

  const large = await run(900_000);
  assert.deepEqual(await bulk.outcomes({ Action: 'archive', Jobs: [large] }), ['Done']);
  await sweep();
  assert.deepEqual(await sizes([archived, large]), [0, 900_000]);
});
