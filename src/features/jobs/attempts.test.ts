// Each device is listed once with its last attempt, whatever was retried and in whichever order.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { job } from '#/contract/jobs.ts';
import { byAttempt } from './attempts.ts';

const child = (DeviceId: string, Attempt?: number) =>
  job.parse({ JobId: `${DeviceId}-${Attempt ?? 1}`, DeviceId, Attempt });

test('without a retry the list is unchanged', () => {
  const rows = [child('a'), child('b')];
  const { last, earlier } = byAttempt(rows);
  assert.equal(last, rows);
  assert.equal(earlier.size, 0);
});

test('the last attempt takes the place of the first', () => {
  const rows = [child('a'), child('b'), child('c'), child('a', 3), child('a', 2), child('c', 2)];
  const { last, earlier } = byAttempt(rows);
  assert.deepEqual(
    last.map(({ JobId }) => JobId),
    ['a-3', 'b-1', 'c-2'],
  );
  assert.deepEqual(
    earlier.get('a')?.map(({ JobId }) => JobId),
    ['a-1', 'a-2'],
  );
  assert.equal(earlier.has('b'), false);
});
