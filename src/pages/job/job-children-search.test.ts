import assert from 'node:assert/strict';
import { test } from 'node:test';
import { job } from '#/contract/jobs.ts';
import { atOnce } from '#/lib/pace.ts';
import { searchSteps } from './job-children-search.ts';

const rows = [
  job.parse({ DeviceName: 'Camera-7', Stdout: 'one\n\u001B[31mNo space (left)\u001B[0m\nthree' }),
  job.parse({ DeviceId: 'cam-8', Result: 'NO SPACE' }),
  job.parse({ DeviceName: 'lamp', Stdout: 'fine', Stderr: 'camera is gone' }),
];
const found = (text: string) =>
  [...atOnce(searchSteps(rows, text))].map(([{ DeviceName, DeviceId }, line]) => [DeviceName ?? DeviceId, line]);

test('devices are found by name, id and output, with the matching line', () => {
  assert.deepEqual(found('cam'), [
    ['Camera-7', ''],
    ['cam-8', ''],
    ['lamp', 'camera is gone'],
  ]);
  assert.deepEqual(found('no space'), [
    ['Camera-7', 'No space (left)'],
    ['cam-8', 'NO SPACE'],
  ]);
});

test('the search text is not a pattern', () => {
  assert.deepEqual(found('(left)'), [['Camera-7', 'No space (left)']]);
  assert.deepEqual(found('.*['), []);
});
