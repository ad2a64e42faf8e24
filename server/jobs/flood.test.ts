// A device that sends its output a byte a message: others have their turn, little is stored for it, and nothing is
// lost.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { CLOSE, OUTPUT_PIECE } from '#/contract/agent-link.ts';
import type { Stream } from '#/contract/agent-link.ts';
import { FakeAgent } from '../test-agents.ts';
import { until } from '../../scripts/test-process.ts';
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

/** A device with a job. */
async function busy() {
  const { id, key } = await fleet.device();
  const job = await fleet.run('x', { DeviceId: id });
  const agent = await FakeAgent.connect(service.url, key);
  await agent.receive('run');
  return { job, agent };
}

const rowsOf = (table: 'job_output' | 'output_runs', job: string) =>
  service.context.db.all<{ size: number }>(
    `SELECT ${table === 'job_output' ? 'length(bytes)' : '1'} AS size FROM ${table} JOIN jobs ON seq = job_seq WHERE id = ?`,
    job,
  );

function say(agent: FakeAgent, job: string, stream: Stream, offset: number, bytes: Buffer): void {
  agent.say({ type: 'output', job, stream, offset, data: bytes.toString('base64') });
}

test('a flood of single bytes lets others pass, is stored in few rows, and comes out as it went in', async () => {
  const flooding = await busy();
  const other = await busy();
  const whole = Buffer.from(Array.from({ length: 30_000 }, (_, n) => 32 + (n % 95)));
  for (let n = 0; n < whole.length; n++) say(flooding.agent, flooding.job, 'stdout', n, whole.subarray(n, n + 1));
  other.agent.finish(other.job, 0, 'quick');
  await other.agent.receive('settled');
  const stored = Math.max(
    0,
    ...flooding.agent.received.map((message) => (message.type === 'stored' ? message.have.stdout : 0)),
  );
  assert.ok(stored < whole.length, 'the other device did not have to wait for all of the flood');

  await until('all of it to be stored', () =>
    flooding.agent.received.some((message) => message.type === 'stored' && message.have.stdout === whole.length),
  );
  assert.ok((await rowsOf('job_output', flooding.job)).length <= whole.length / 900);
  flooding.agent.say({ type: 'ended', job: flooding.job, outcome: 'exited', exitCode: 0, endedAgo: 0 });
  await flooding.agent.receive('settled');
  assert.equal((await fleet.job(flooding.job)).Stdout, whole.toString());
  await Promise.all([flooding.agent.end(), other.agent.end()]);
});

test('streams that take turns byte by byte are stored in few rows too, in their order', async () => {
  const { job, agent } = await busy();
  for (let n = 0; n < 2_000; n++)
    say(agent, job, n % 2 === 0 ? 'stdout' : 'stderr', Math.floor(n / 2), Buffer.from(n % 2 === 0 ? 'o' : 'e'));
  agent.say({ type: 'ended', job, outcome: 'exited', exitCode: 0, endedAgo: 0 });
  await agent.receive('settled');
  assert.equal((await rowsOf('job_output', job)).length, 2);
  const answer = await service.call('GET', `/v1/job/${job}/output?stdout=0&stderr=0`);
  const { Stdout, Stderr, Pieces } = (await answer.json()) as {
    Stdout: { Text: string };
    Stderr: { Text: string };
    Pieces: { Stream: Stream; Offset: number; Next: number; Length: number; Time: string }[];
  };
  const text = { stdout: Stdout.Text, stderr: Stderr.Text };
  const inOrder = Pieces.map(({ Stream, Offset, Length }) => text[Stream].slice(Offset, Offset + Length)).join('');
  assert.equal(inOrder, 'oe'.repeat(1_000));
  assert.ok(Pieces.every(({ Time }) => Date.parse(Time) > 0));
  await agent.end();
});

test('the end of a job writes none of its output again', async () => {
  const { job, agent } = await busy();
  const piece = Buffer.alloc(20_000, 'x');
  for (let n = 0; n < 20; n++) {
    say(agent, job, 'stdout', n * piece.length, piece);
    await until('it to be stored', () =>
      agent.received.some((message) => message.type === 'stored' && message.have.stdout === (n + 1) * piece.length),
    );
  }
  const rows = await rowsOf('job_output', job);
  assert.equal(rows.length, 20);
  agent.say({ type: 'ended', job, outcome: 'exited', exitCode: 0, endedAgo: 0 });
  await agent.receive('settled');
  assert.deepEqual(await rowsOf('job_output', job), rows);
  await agent.end();
});

test('a message with more output than a piece may hold ends the connection', async () => {
  const { job, agent } = await busy();
  say(agent, job, 'stdout', 0, Buffer.alloc(48 * 1024 + 1));
  await until('the connection to be closed', () => agent.closed);
  assert.equal((await fleet.job(job)).Stdout, '');
});

test('output beyond the limit of a job ends the connection; its mark of a cut still fits', async () => {
  const { job, agent } = await busy();
  const limit = 10 * 1024 * 1024;
  const whole = Buffer.alloc(limit + 4_096, 'x');
  for (let at = 0; at < whole.length; at += OUTPUT_PIECE)
    say(agent, job, 'stdout', at, whole.subarray(at, at + OUTPUT_PIECE));
  await until('all of it to be stored', () =>
    agent.received.some((message) => message.type === 'stored' && message.have.stdout === whole.length),
  );
  say(agent, job, 'stdout', whole.length, Buffer.from('x'));
  assert.equal((await until('the end of the connection', () => agent.closed)).code, CLOSE.protocol);
  const size = (await rowsOf('job_output', job)).reduce((sum, row) => sum + row.size, 0);
  assert.equal(size, whole.length);
});
