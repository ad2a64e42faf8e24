// Changed rows are replaced, all others stay the same objects.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { job } from '#/contract/jobs.ts';
import { atOnce } from '#/lib/pace.ts';
import { changedRows, type RowChanges } from './changed-rows.ts';

const row = (JobId: string, Status = 'Running') => job.parse({ JobId, DeviceId: `d-${JobId}`, Status });
const before = [row('a'), row('b'), row('c')];
const patch = (rows: typeof before, changes: Partial<RowChanges>) =>
  atOnce(changedRows(rows, { changed: [], all: false, ...changes }));
const shown = (rows: typeof before) => rows.map(({ JobId, Status }) => [JobId, Status]);

test('a changed row replaces the previous one, a new one is appended, a removed one disappears', () => {
  const changed = row('b', 'Failed');
  const rows = patch(before, { changed: [row('d'), changed], removed: ['a', 'unknown'] });
  assert.deepEqual(shown(rows), [
    ['b', 'Failed'],
    ['c', 'Running'],
    ['d', 'Running'],
  ]);
  assert.equal(rows[0], changed);
  assert.equal(rows[1], before[2]);
});

test('rows reported without a difference are the same array', () => {
  assert.equal(patch(before, {}), before);
  assert.equal(patch(before, { changed: [row('b')] }), before);
  assert.equal(patch(before, { removed: ['unknown'] }), before);
  assert.equal(patch(before, { changed: before.map(({ JobId }) => row(JobId)), all: true }), before);
});

test('a report of all rows leaves only these, in their order', () => {
  const rows = patch(before, { changed: [row('c'), row('e')], all: true });
  assert.deepEqual(shown(rows), [
    ['c', 'Running'],
    ['e', 'Running'],
  ]);
  assert.equal(rows[0], before[2]);
});

test('later changes find rows that were added, removed or replaced', () => {
  let rows = before;
  rows = patch(rows, { changed: [row('b', 'Failed')] });
  rows = patch(rows, { changed: [row('d')] });
  rows = patch(rows, { removed: ['a'] });
  rows = patch(rows, { changed: [row('d', 'Failed'), row('c', 'Succeeded')] });
  assert.deepEqual(shown(rows), [
    ['b', 'Failed'],
    ['c', 'Succeeded'],
    ['d', 'Failed'],
  ]);
});
