import assert from 'node:assert/strict';
import { test } from 'node:test';
import { job } from '#/contract/jobs.ts';
import { atOnce } from '#/lib/pace.ts';
import { sharedRows } from '#/api/children.ts';

const rows = (status: string) => [
  job.parse({ JobId: 'a', Status: 'Running', Stdout: 'x', Stderr: '', Result: 'x', More: { a: [1] } }),
  job.parse({ JobId: 'b', Status: status, ExitCode: 1 }),
  job.parse({ JobId: '', Status: status }),
];

test('unchanged children stay the same objects, and so does an unchanged list', () => {
  const before = rows('Running');
  assert.equal(atOnce(sharedRows(rows('Running'), before)), before);
  const after = atOnce(sharedRows(rows('Failed'), before));
  assert.deepEqual(
    after.map((row, place) => row === before[place]),
    [true, false, false],
  );
  assert.equal(after[1]?.Status, 'Failed');
});

test('a removed or moved child makes a new list', () => {
  const before = rows('Running');
  const [a, b] = before;
  assert.deepEqual(atOnce(sharedRows(rows('Running').slice(0, 2), before)), [a, b]);
  assert.deepEqual(
    atOnce(sharedRows(rows('Running').slice(0, 2).toReversed(), [a!, b!])).map(({ JobId }) => JobId),
    ['b', 'a'],
  );
});
