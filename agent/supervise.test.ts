// Real commands under the supervisor: their output, their end, and the processes that end with them.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { cutMark } from '#/contract/agent-link.ts';
import { supervise } from './supervise.ts';
import { running, testFolder, textOf, type TestFolder } from './test-folder.ts';
import { until } from '../scripts/test-process.ts';

let at: TestFolder;
before(() => {
  at = testFolder();
});
after(() => at.remove());

test('stdout and stderr are stored separately, byte by byte, with the exit code', async () => {
  const job = at.accept(`printf 'a\\000b\\377'; printf 'one\\n' > /dev/stderr; printf two >&2; exit 3`);
  await supervise(job);
  assert.deepEqual([...readFileSync(job.file('stdout'))], [97, 0, 98, 255]);
  assert.equal(textOf(job, 'stderr'), 'one\ntwo');
  const { outcome, exitCode, startedAt = 0, endedAt = 0, reason } = job.end() ?? {};
  assert.deepEqual({ outcome, exitCode, reason }, { outcome: 'exited', exitCode: 3, reason: undefined });
  assert.ok(startedAt <= endedAt && endedAt <= Date.now());
});

test('a command runs in a folder of its own, knows its job, and never sees the device key', async () => {
  process.env['DEVICE_KEY'] = 'mdk_secret';
  const job = at.accept('pwd; echo "$MUSTER_JOB_ID"; env');
  await supervise(job, { MUSTER_FETCH: '/somewhere/muster-fetch' });
  delete process.env['DEVICE_KEY'];
  const [cwd, id, ...env] = textOf(job, 'stdout').split('\n');
  assert.equal(cwd, job.file('work'));
  assert.equal(id, job.request()?.job);
  assert.ok(env.includes('MUSTER_FETCH=/somewhere/muster-fetch'));
  assert.ok(!env.some((line) => line.includes('mdk_secret')));
});

test('a command that a signal ended has the exit code that shells give it', async () => {
  const job = at.accept('kill -9 $$');
  await supervise(job);
  assert.equal(job.end()?.exitCode, 137);
});

test('a command that is none ends with the code of the shell', async () => {
  const job = at.accept('no-such-program-anywhere');
  await supervise(job);
  assert.equal(job.end()?.exitCode, 127);
  assert.match(textOf(job, 'stderr'), /not found/);
});

test('a command is run as text, whatever it begins with and however long it is', async () => {
  for (const [command, code, printed] of [
    ['-x', 127, ''],
    ['+x', 127, ''],
    [`: '${'é'.repeat(100_000)}'\nprintf end`, 0, 'end'],
  ] as const) {
    const job = at.accept(command);
    await supervise(job);
    assert.deepEqual([job.end()?.exitCode, textOf(job, 'stdout')], [code, printed], command.slice(0, 20));
  }
});

test('a stream is cut at its limit with a mark, and the command goes on', async () => {
  const job = at.accept('yes 0123456789 | head -c 300000; echo end >&2; exit 5', { outputLimit: 100_000 });
  await supervise(job);
  const kept = textOf(job, 'stdout');
  assert.equal(kept, '0123456789\n'.repeat(10_000).slice(0, 100_000) + cutMark(100_000));
  assert.equal(textOf(job, 'stderr'), 'end\n');
  assert.equal(job.end()?.exitCode, 5);
});

test('past its time limit a command is ended with all it started', async () => {
  const job = at.accept('sleep 301 & setsid sleep 302 & echo begun; sleep 303', { timeLimitSeconds: 1 });
  await supervise(job);
  assert.equal(job.end()?.outcome, 'timed-out');
  assert.match(job.end()?.reason ?? '', /longer than its limit of 1 s/);
  assert.equal(textOf(job, 'stdout'), 'begun\n');
  for (const left of ['sleep\x00301', 'sleep\x00302', 'sleep\x00303']) assert.deepEqual(running(left), []);
});

test('a cancelled command is ended, one that ignores the request included', async () => {
  const job = at.accept(`trap '' TERM; setsid sh -c "trap '' TERM; while :; do sleep 0.311; done" & echo begun; wait`);
  const over = supervise(job);
  await until('the command to begin', () => existsSync(job.file('stdout')) && textOf(job, 'stdout') === 'begun\n');
  job.askToCancel();
  await over;
  assert.equal(job.end()?.outcome, 'cancelled');
  assert.deepEqual(running('sleep\x000.311'), []);
});

test('a cancel reaches children without environment, in sessions of their own, without its output', async () => {
  const stray = (seconds: string) =>
    `env -i "$(command -v setsid)" sh -c 'exec >/dev/null 2>&1 </dev/null; cd /; (while :; do sleep ${seconds}; done) & exit'`;
  const quiet = `env -i "$(command -v setsid)" sh -c 'while :; do sleep 0.316; done' &`;
  const job = at.accept(`${stray('0.315')} & ${quiet} echo begun; sleep 308`);
  const over = supervise(job);
  for (const seconds of ['0.315', '0.316'])
    await until('the stray to run', () => running(`sleep\x00${seconds}`).length > 0);
  job.askToCancel();
  await over;
  assert.equal(job.end()?.outcome, 'cancelled');
  for (const seconds of ['0.315', '0.316', '308']) assert.deepEqual(running(`sleep\x00${seconds}`), []);
  for (const loop of ['sleep 0.315', 'sleep 0.316']) assert.deepEqual(running(loop), []);
});

test('a command that had to be killed leaves nothing in the temporary folder', async () => {
  const temporary = `${at.data}/tmp`;
  const set = process.env['TMPDIR'];
  mkdirSync(temporary);
  process.env['TMPDIR'] = temporary;
  try {
    const locked =
      'work=$(mktemp -d "$MUSTER_TEMP/muster.XXXXXX") && mkdir "$work/ro" && touch "$work/ro/f" && chmod 500 "$work/ro"';
    const job = at.accept(`${locked}; trap '' TERM; echo begun; while :; do sleep 0.317; done`);
    const over = supervise(job);
    await until('the command to begin', () => existsSync(job.file('stdout')) && textOf(job, 'stdout') === 'begun\n');
    assert.equal(readdirSync(temporary).length, 1);
    job.askToCancel();
    await over;
    assert.deepEqual(readdirSync(temporary), []);
  } finally {
    if (set === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = set;
  }
});

test('output that finds the disk full: said at once in the output, and in the end; the command goes on', async (context) => {
  if (!existsSync('/dev/full')) return context.skip('this system has no /dev/full');
  const job = at.accept('echo lost; echo seen >&2; exit 4');
  symlinkSync('/dev/full', job.file('stdout'));
  await supervise(job);
  const { exitCode, reason } = job.end() ?? {};
  assert.equal(exitCode, 4);
  assert.equal(reason, `Output is missing. Disk full on the device: no space in ${job.folder}.`);
  assert.equal(textOf(job, 'stderr'), 'seen\n');
});

test('what a command leaves behind lives on without holding the job up', async () => {
  const job = at.accept('(while :; do echo tick; sleep 0.312; done) & echo done');
  await supervise(job);
  assert.equal(job.end()?.exitCode, 0);
  assert.match(textOf(job, 'stdout'), /done/);
  // It can still write: a broken pipe would have ended the loop at its next line.
  const kept = textOf(job, 'stdout').length;
  const sleeps = new Set<string>();
  await until('three more rounds', () => {
    for (const pid of running('sleep\x000.312')) sleeps.add(pid);
    return sleeps.size >= 4;
  });
  assert.equal(textOf(job, 'stdout').length, kept);
  for (const pid of running('while :; do echo tick; sleep 0.312')) process.kill(Number(pid));
});

test('a device that shuts down ends its job as interrupted', async () => {
  const job = at.accept('echo begun; sleep 304');
  const stopping = new AbortController();
  const over = supervise(job, undefined, stopping.signal);
  await until('the command to begin', () => existsSync(job.file('stdout')) && textOf(job, 'stdout') === 'begun\n');
  stopping.abort();
  await over;
  assert.equal(job.end()?.outcome, 'interrupted');
});

test('of many supervisors one runs the job', async () => {
  const job = at.accept(`echo ran >> ${at.data}/count`);
  await Promise.all(Array.from({ length: 8 }, () => supervise(job)));
  assert.equal(readFileSync(`${at.data}/count`, 'utf8'), 'ran\n');
  await supervise(job);
  assert.equal(readFileSync(`${at.data}/count`, 'utf8'), 'ran\n');
});

test('a command that cannot be started says why', async () => {
  const job = at.accept('echo a\u0000b'); // no argument of a program can hold this
  await supervise(job);
  assert.equal(job.end()?.outcome, 'not-started');
  assert.match(job.end()?.reason ?? '', /null bytes/);
});
