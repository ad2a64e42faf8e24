// The data folder after crashes of every kind: what counts as accepted, settled, owned.
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { Spool } from './spool.ts';
import { testFolder } from './test-folder.ts';
import type { TestFolder } from './test-folder.ts';

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

test('accepted jobs are there after a restart, in their order; settled ones are not', () => {
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

test('a folder without an order was never accepted', () => {
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

test('the lock goes to one, and shows whether its owner lives', () => {
  const job = at.accept('true', { job: 'locked' });
  assert.equal(job.owner(), undefined);
  assert.ok(job.takeLock());
  assert.ok(!job.takeLock());
  assert.deepEqual(job.owner(), { alive: true });
  // The same number and boot, another birth: the owner is gone and its number was given again.
  const mark = path.join(job.file('lock'), 'owner.json');
  writeFileSync(mark, JSON.stringify({ pid: process.pid, born: '1', boot: 'x' }));
  assert.deepEqual(job.owner(), { alive: false });
  writeFileSync(mark, '{"pid":');
  assert.deepEqual(job.owner(), { alive: false });
});
