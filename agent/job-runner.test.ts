// The device's queue after local failures: deleted folders, and supervisors that do not start.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, beforeEach, mock, test } from 'node:test';
import type { AgentMessage, Ended } from '#/contract/agent-link.ts';
import { JobFolder } from './job-folder.ts';
import { JobRunner, type RunnerOptions } from './job-runner.ts';
import { Spool } from './spool.ts';
import { supervise } from './supervise.ts';
import { running, testFolder, type TestFolder } from './test-folder.ts';
import { until } from '../scripts/test-process.ts';

const folders: TestFolder[] = [];
after(() => folders.forEach((one) => one.remove()));
let at: TestFolder;
let sent: AgentMessage[];
beforeEach(() => {
  at = testFolder();
  folders.push(at);
  sent = [];
});

const runner = (
  launch: RunnerOptions['launch'] = async (folder) => {
    await supervise(folder);
  },
) => new JobRunner({ spool: at.spool, launch, send: (message) => sent.push(message), log: () => {} });
const offer = (to: JobRunner, job: string, command: string) =>
  to.run({
    type: 'run',
    job,
    command,
    timeLimitSeconds: 60,
    outputLimit: 10_000,
    have: { stdout: 0, stderr: 0 },
  });
const endOf = (job: string) =>
  until(`the end of ${job}`, () =>
    sent.find((message): message is Ended => message.type === 'ended' && message.job === job),
  );
const begun = (job: string) =>
  until(`${job} to begin`, () => sent.some((message) => message.type === 'started' && message.job === job));

test('a folder deleted while its job runs: the command is stopped, the job ends in words, the next one runs', async () => {
  const one = runner();
  offer(one, 'deleted', 'sleep 307');
  await begun('deleted');
  offer(one, 'next', 'echo next');
  rmSync(at.spool.folder('deleted').folder, { recursive: true, force: true });
  const { outcome, reason, startedAgo } = await endOf('deleted');
  assert.equal(outcome, 'interrupted');
  assert.match(reason ?? '', /The folder of the job on the device, .*\/jobs\/deleted, was deleted while it ran\./);
  assert.notEqual(startedAgo, undefined);
  assert.deepEqual(running('sleep\x00307'), []);
  assert.equal((await endOf('next')).exitCode, 0);
  // After a crash at this point, the agent reports the same end and does not run the job again.
  assert.equal(at.spool.folder('deleted').end()?.outcome, 'interrupted');
  one.settled('deleted');
  one.settled('next');
  one.stop();
  assert.deepEqual(new Spool(at.data).unsettled(), []);
});

test('a folder deleted before its job started: nothing runs, and it says so', async () => {
  const one = runner();
  offer(one, 'first', 'sleep 0.5');
  offer(one, 'waits', `touch ${at.data}/ran`);
  rmSync(at.spool.folder('waits').folder, { recursive: true, force: true });
  const { outcome, reason } = await endOf('waits');
  assert.equal(outcome, 'not-started');
  assert.match(reason ?? '', /was deleted before the job started\. Nothing was run\./);
  assert.equal((await endOf('first')).exitCode, 0);
  one.stop();
  assert.ok(!existsSync(`${at.data}/ran`));
});

test('a supervisor that cannot be started, or ends without a word, fails its job in a whole sentence', async () => {
  const thrown = runner(() => Promise.reject(new Error('spawn EAGAIN')));
  offer(thrown, 'thrown', 'true');
  assert.equal((await endOf('thrown')).reason, 'The agent could not start the job. spawn EAGAIN');
  thrown.stop();
  const silent = runner(() => Promise.resolve(''));
  offer(silent, 'silent', 'true');
  assert.equal((await endOf('silent')).reason, 'The agent could not start the job. Its supervisor ended at once.');
  silent.stop();
});

test('what an agent that was killed left running is ended and tidied up by the next one', async () => {
  const temporary = `${at.data}/tmp`;
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = temporary;
  try {
    const folder = at.accept('true', { job: 'orphan' });
    mkdirSync(temporary);
    const temp = folder.makeTemp() ?? '';
    mkdirSync(`${temp}/unpacked/locked`, { recursive: true });
    writeFileSync(`${temp}/unpacked/locked/file`, '');
    folder.takeLock();
    // Its owner has ended.
    writeFileSync(`${folder.file('lock')}/owner.json`, JSON.stringify({ pid: 1, born: '1', boot: 'x' }));
    const one = runner();
    offer(one, 'orphan', 'true');
    assert.equal((await endOf('orphan')).outcome, 'interrupted');
    one.stop();
    assert.deepEqual(readdirSync(temporary), []);
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
});

test('a folder that cannot be read for a moment does not end the agent: what it holds is sent afterwards', async () => {
  const folder = at.accept('true');
  folder.takeLock();
  folder.writeEnd({ outcome: 'exited', exitCode: 7, endedAt: Date.now() });
  const job = path.basename(folder.folder);
  // As with too many open files.
  const unreadable = mock.method(JobFolder.prototype, 'end', () => {
    throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
  });
  const one = runner();
  offer(one, job, 'true');
  unreadable.mock.restore();
  assert.equal((await endOf(job)).exitCode, 7);
  one.stop();
});

test('a job that is stopped before its turn, when nothing can be written, never starts', async () => {
  const started: string[] = [];
  const one = runner(async (folder) => {
    started.push(path.basename(folder.folder));
    folder.takeLock();
    folder.writeEnd({ outcome: 'exited', exitCode: 0, endedAt: Date.now() });
    return '';
  });
  await one.hold(() => {});
  offer(one, 'stopped', 'true');
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
  const methods = (['askToCancel', 'takeLock', 'writeEnd'] as const).map((method) =>
    mock.method(JobFolder.prototype, method, () => {
      throw full;
    }),
  );
  one.cancel('stopped');
  for (const method of methods) method.mock.restore();
  assert.equal((await endOf('stopped')).outcome, 'cancelled');
  one.release();
  offer(one, 'next', 'true');
  await endOf('next');
  one.stop();
  assert.deepEqual(started, ['next']);
});

test('a job that could not be stored gives the same answer again, until the service has no end of it', async () => {
  const one = runner(async (folder) => {
    folder.takeLock();
    folder.writeEnd({ outcome: 'exited', exitCode: 0, endedAt: Date.now() });
    return '';
  });
  const accept = mock.method(Spool.prototype, 'accept', () => {
    throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
  });
  offer(one, 'refused', 'true');
  one.cancel('refused');
  accept.mock.restore();
  offer(one, 'refused', 'true');
  assert.deepEqual(
    sent.map((message) => message.type === 'ended' && message.outcome),
    ['not-started', 'not-started'],
  );
  one.disconnected();
  offer(one, 'refused', 'true');
  await until('it to run', () => sent.at(-1)?.type === 'ended' && sent.length === 3);
  assert.equal((sent.at(-1) as Ended).outcome, 'exited');
  one.stop();
});
