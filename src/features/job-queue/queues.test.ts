import assert from 'node:assert/strict';
import { test } from 'node:test';
import { job } from '#/contract/jobs.ts';
import { queuesOf } from './queues.ts';

test('the running job comes first, then the order of submission counts, and ended jobs are left out', () => {
  const queues = queuesOf(
    [
      { JobId: 'b', DeviceId: 'one', Status: 'Waiting', CreatedTime: '2026-11-02T14:00:09.000+00:00' },
      // Its clock was set back in between.
      { JobId: 'c', DeviceId: 'one', Status: 'Waiting', CreatedTime: '2026-11-02T13:00:09.000+00:00' },
      { JobId: 'a', DeviceId: 'one', Status: 'Running', ParentJobId: 'p', ArtifactId: 'x', StopTime: '' },
      { JobId: 'd', DeviceId: 'two', Status: 'Succeeded' },
    ].map((fields) => job.parse(fields)),
  );
  assert.deepEqual([...queues.keys()], ['one']);
  assert.deepEqual(
    queues.get('one')?.map(({ JobId }) => JobId),
    ['a', 'b', 'c'],
  );
  assert.deepEqual(queues.get('one')?.[0], {
    JobId: 'a',
    JobName: '',
    DeviceId: 'one',
    DeviceName: '',
    ParentJobId: 'p',
    ArtifactId: 'x',
    WorkflowId: undefined,
    created: undefined,
    state: 'Running',
    canStop: true,
  });
});
