import assert from 'node:assert/strict';
import { test } from 'node:test';
import { artifact } from '#/contract/artifacts.ts';
import { DAY, staleIn, staleTexts, versionsOf } from './stale.ts';

const now = Date.UTC(2026, 10, 21);
const versions = versionsOf(
  [
    { ArtifactId: 'a1', Name: 'app_1.0.0.tar.gz', Version: '1.0.0', CreatedTime: '2026-11-01T00:00:00.000+00:00' },
    { ArtifactId: 'a2', Name: 'app_1.1.0.tar.gz', Version: '1.1.0', CreatedTime: '2026-11-02T00:00:00.000+00:00' },
    { ArtifactId: 'a3', Name: 'app_1.2.0.tar.gz', Version: '1.2.0', CreatedTime: '2026-11-03T00:00:00.000+00:00' },
    { ArtifactId: 'b1', Name: 'fix.sh', Version: '1', CreatedTime: '2026-11-03T00:00:00.000+00:00' },
    { ArtifactId: 'x1', Name: 'odd.sh', Version: '1', CreatedTime: 'some day' },
    { ArtifactId: 'x2', Name: 'odd.sh', Version: '2', CreatedTime: '' },
  ].map((fields) => artifact.parse(fields)),
);
const rules = { now, days: 7, versions, deleted: new Set(['gone']) };
const job = (ArtifactId: string | undefined, daysAgo: number | undefined = 0, state = 'Waiting') => ({
  state,
  ArtifactId,
  created: daysAgo === undefined ? undefined : now - daysAgo * DAY,
});
const staleOf = (queue: ReturnType<typeof job>[], use = rules) =>
  Array.from(staleIn(queue, use), ([one, reasons]) => [queue.indexOf(one), staleTexts(reasons)]);

test('a job is superseded by the newest version of the same artifact that waits behind it', () => {
  assert.deepEqual(staleOf([job('a1'), job('b1'), job('a2'), job('a3')]), [
    [0, 'Superseded by app_1.2.0.tar.gz 1.2.0 behind it'],
    [2, 'Superseded by app_1.2.0.tar.gz 1.2.0 behind it'],
  ]);
});

test('a downgrade, the same version again, and a running job are not stale', () => {
  assert.deepEqual(staleOf([job('a2'), job('a1')]), []);
  assert.deepEqual(staleOf([job('a1'), job('a1')]), []);
  assert.deepEqual(staleOf([job('a1', 30, 'Running'), job('a2')]), []);
});

test('before a downgrade, only jobs older than the versions behind them are stale', () => {
  assert.deepEqual(staleOf([job('a3'), job('a1'), job('a2')]), [[1, 'Superseded by app_1.1.0.tar.gz 1.1.0 behind it']]);
});

test('without readable times no version is newer', () => {
  assert.deepEqual(staleOf([job('x1'), job('x2')]), []);
});

test('a job that waits longer than the limit is stale, and every reason is given', () => {
  assert.deepEqual(staleOf([job(undefined, 7), job(undefined, 8), job('gone', 9.5), job(undefined, undefined)]), [
    [1, 'Waits for 8 days'],
    [2, 'Its artifact was deleted: it would fail; waits for 9 days'],
  ]);
  assert.deepEqual(staleOf([job(undefined, 8)], { ...rules, days: 30 }), []);
});
