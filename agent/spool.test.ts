// The data folder after crashes of every kind: which jobs count as accepted, settled or taken.
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { Spool } from './spool.ts';
import { testFolder, type TestFolder } from './test-folder.ts';

let at: TestFolder;
before(() => {
  at = testFolder();
});
after(() => at.remove());

test('a folder keeps its name; another has another', () => {
  assert.equal(new Spool(at.data).journal, at.spool.journal);
  const other = testFolder();
  assert.notEqual(other.spool.journal, at.spool.journal);
  other.remove();
});

test('accepted jobs are there after a restart, in the same order; settled ones are not', () => {
  const jobs = ['z', 'm', 'a'].map((name) => {
    at.accept('true', { job: name });
    return name;
  });
  assert.deepEqual(new Spool(at.data).unsettled(), jobs);
  at.spool.settle('m');
  const again = new Spool(at.data);
  assert.deepEqual(again.unsettled(), ['z', 'a']);
  assert.ok(again.isSettled('m') && !again.isSettled('a'));
  at.spool.settle('z');
  at.spool.settle('a');
});

test('a folder without a request was never accepted', () => {
  const torn = path.join(at.data, 'jobs', 'torn');
  mkdirSync(torn);
  writeFileSync(path.join(torn, 'job.json.1.tmp'), '{"job":"to');
  assert.deepEqual(new Spool(at.data).unsettled(), []);
  assert.ok(!existsSync(torn));
});

test('a line that the power cut in half does not swallow the next', () => {
  appendFileSync(path.join(at.data, 'settled'), 'half-a-na');
  at.accept('true', { job: 'whole' });
  new Spool(at.data).settle('whole');
  assert.ok(new Spool(at.data).isSettled('whole'));
});

test('of very many settled jobs the newest half is remembered, also after a restart', () => {
  const other = testFolder();
  const ids = Array.from({ length: 20_000 }, (_, number) => `job-${number}`);
  writeFileSync(path.join(other.data, 'settled'), ids.join('\n'));
  const spool = new Spool(other.data);
  spool.settle('last');
  for (const each of [spool, new Spool(other.data)])
    assert.deepEqual(
      ['job-0', 'job-10000', 'job-10001', 'job-19999', 'last'].map((id) => each.isSettled(id)),
      [false, false, true, true, true],
    );
  other.remove();
});

test('what is no longer readable is set aside and reported, and the rest is still there', () => {
  const other = testFolder();
  const inFolder = (...names: string[]) => path.join(other.data, ...names);
  const garbage = Buffer.from([0, 255, 1, 254, 10, 0]);
  other.accept('true', { job: 'good' });
  other.accept('true', { job: 'garbled' }).takeLock();
  writeFileSync(inFolder('jobs/garbled/job.json'), garbage);
  other.accept('true', { job: 'shape' });
  writeFileSync(inFolder('jobs/shape/job.json'), '{"job":"shape","number":"one"}');
  other.accept('true', { job: 'odd-end' });
  writeFileSync(inFolder('jobs/odd-end/end.json'), '{"outcome":"fine"}');
  writeFileSync(inFolder('jobs/a file'), garbage);
  mkdirSync(inFolder('jobs/no id'));
  writeFileSync(inFolder('settled'), Buffer.concat([Buffer.from('\none\n'), garbage, Buffer.from('\ntwo\n')]));
  writeFileSync(inFolder('journal'), garbage);

  const lines: string[] = [];
  const again = new Spool(other.data, (line) => lines.push(line));
  assert.deepEqual(again.unsettled().sort(), ['garbled', 'good', 'odd-end', 'shape']);
  assert.match(again.journal, /^[0-9a-f]{24}$/);
  assert.deepEqual(
    ['one', 'two'].map((id) => again.isSettled(id)),
    [true, true],
  );
  for (const job of ['garbled', 'shape']) {
    const { outcome, reason = '' } = again.folder(job).end() ?? {};
    assert.equal(outcome, 'interrupted');
    const [, aside = ''] = /set aside as (.*)\. Whether it ran/.exec(reason) ?? [];
    assert.ok(existsSync(path.join(aside, 'job.json')), reason);
  }
  assert.equal(again.folder('odd-end').end(), undefined);
  assert.equal(readdirSync(inFolder('set-aside')).length, 6);
  assert.equal(lines.length, 6);
  assert.deepEqual(again.setAside, lines);
  for (const line of lines) assert.match(line, /could not be used: .* It was set aside as .*set-aside\/./);
  // It is reported once.
  const third = new Spool(other.data, (line) => lines.push(line));
  assert.deepEqual([third.journal, third.unsettled().length, lines.length], [again.journal, 4, 6]);
  other.remove();
});

test('folders where files should be do not stop the agent', () => {
  const other = testFolder();
  other.accept('true', { job: 'there' });
  for (const name of ['settled', 'journal']) {
    rmSync(path.join(other.data, name), { force: true });
    mkdirSync(path.join(other.data, name));
  }
  const lines: string[] = [];
  assert.deepEqual(new Spool(other.data, (line) => lines.push(line)).unsettled(), ['there']);
  assert.equal(lines.length, 2);
  rmSync(path.join(other.data, 'jobs'), { recursive: true });
  writeFileSync(path.join(other.data, 'jobs'), 'x');
  assert.deepEqual(new Spool(other.data, (line) => lines.push(line)).unsettled(), []);
  assert.equal(lines.length, 3);
  other.remove();
});

test('the lock goes to one, and shows whether its owner lives', () => {
  const job = at.accept('true', { job: 'locked' });
  assert.equal(job.owner(), undefined);
  assert.ok(job.takeLock());
  assert.ok(!job.takeLock());
  assert.deepEqual(job.owner(), { alive: true });
  // Same number and boot, different start time: the owner ended and its number was reused.
  const mark = path.join(job.file('lock'), 'owner.json');
  writeFileSync(mark, JSON.stringify({ pid: process.pid, born: '1', boot: 'x' }));
  assert.deepEqual(job.owner(), { alive: false });
  writeFileSync(mark, '{"pid":');
  assert.deepEqual(job.owner(), { alive: false });
});
