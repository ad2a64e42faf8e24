// Which jobs refer to an artifact.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { job } from '#/contract/jobs.ts';
import { isNeeded, usageIn, usageOf } from './artifact-usage.ts';

const read = (...rows: object[]) => rows.map((row) => job.parse({ JobId: 'j', ...row }));

test('jobs are counted by what they still want of the artifact', () => {
  const index = usageOf(
    read(
      { ArtifactId: 'a', Status: 'Waiting', DeviceId: 'd' },
      { ArtifactId: 'a', Counts: { Waiting: 3, Running: 1, Failed: 2 } },
      { ArtifactId: 'a', Counts: { Running: 1, Succeeded: 1 } },
      { ArtifactId: 'a', Status: 'Succeeded', DeviceId: 'd' },
      { ArtifactId: 'b', Status: 'Failed', DeviceId: 'd' },
      { WorkflowId: 'w', Status: 'Waiting', DeviceId: 'd' },
    ),
  );
  assert.ok(index);
  const { waiting, running, done, waitingDevices } = usageIn(index, { ArtifactId: 'a' });
  assert.deepEqual([waiting.length, running.length, done.length, waitingDevices], [2, 1, 1, 4]);
  assert.equal(isNeeded(index, { ArtifactId: 'a' }), true);
  assert.equal(isNeeded(index, { ArtifactId: 'b' }), false);
  assert.equal(isNeeded(index, { ArtifactId: 'never' }), false);
});

test('what failed is counted by device, also of a job that still waits', () => {
  const index = usageOf(
    read(
      { ArtifactId: 'a', Counts: { Waiting: 1, Failed: 3 } },
      { ArtifactId: 'a', Status: 'Failed', DeviceId: 'd' },
      { ArtifactId: 'a', Status: 'Succeeded', DeviceId: 'd' },
      { ArtifactId: 'b', Counts: { Succeeded: 1 } },
    ),
  );
  assert.ok(index);
  assert.equal(usageIn(index, { ArtifactId: 'a' }).failedDevices, 4);
  assert.equal(usageIn(index, { ArtifactId: 'b' }).failedDevices, 0);
});

test('a service that does not report it is no service without jobs', () => {
  assert.equal(usageOf(undefined), undefined);
  assert.equal(usageOf(read({ StartTime: '' })), undefined);
  assert.equal(usageOf([])?.size, 0);
  assert.equal(usageOf(read({ WorkflowId: 'w' }))?.size, 0);
});
