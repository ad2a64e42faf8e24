import assert from 'node:assert/strict';
import { test } from 'node:test';
import { job } from '#/contract/jobs.ts';
import { ApiError } from '#/api/api-error.ts';
import { QueueReader, type QueueSource, type Queues } from './queue-reader.ts';

const never = new AbortController().signal;
const jobOf = (fields: object) => job.parse(fields);
const refused = (status: number) => new ApiError('refused', 'x', { status });
const idsOf = (queues: Queues) =>
  Object.fromEntries(Array.from(queues, ([id, jobs]) => [id, jobs.map(({ JobId }) => JobId).join(' ')]));

/** A service without the addition, with these jobs and these children. */
function fake(rows: { list: object[]; children?: Record<string, object[]> }) {
  const asked: string[] = [];
  const source: QueueSource = {
    queues: () => {
      asked.push('queues');
      return Promise.reject(refused(501)); // as capabilities.ts refuses what is not offered
    },
    list: () => {
      asked.push('list');
      return Promise.resolve(rows.list.map(jobOf));
    },
    children: (id) => {
      asked.push(id);
      const found = rows.children?.[id];
      return found ? Promise.resolve(found.map(jobOf)) : Promise.reject(refused(404));
    },
  };
  return { source, asked };
}

test('a service that lists its queues is asked for nothing else, and its order is used', async () => {
  const { source, asked } = fake({ list: [] });
  const reader = new QueueReader({
    ...source,
    queues: () =>
      Promise.resolve(
        [
          { JobId: 'b', DeviceId: 'one', Status: 'Waiting', CreatedTime: '2026-11-02T14:00:09.000+00:00' },
          // Its clock was set back in between.
          { JobId: 'c', DeviceId: 'one', Status: 'Waiting', CreatedTime: '2026-11-02T13:00:09.000+00:00' },
          { JobId: 'a', DeviceId: 'one', Status: 'Running', ParentJobId: 'p', ArtifactId: 'x' },
          { JobId: 'd', DeviceId: 'two', Status: 'Succeeded' },
        ].map(jobOf),
      ),
  });
  const queues = await reader.read(never);
  assert.deepEqual(idsOf(queues), { one: 'a b c' });
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
    canStop: false,
  });
  assert.deepEqual(asked, []);
});

test('elsewhere the children of what may still move are put in line with the jobs to single devices', async () => {
  const { source, asked } = fake({
    list: [
      { JobId: 'j1', DeviceId: 'one', CreatedTime: '2026-11-02T14:00:01Z' },
      { JobId: 'p1', DeviceId: '', JobName: 'nightly', ArtifactId: 'x', CreatedTime: '2026-11-02T14:00:02Z' },
      { JobId: 'j2', DeviceId: 'one', CreatedTime: '2026-11-02T14:00:03Z' },
      { JobId: 'done', DeviceId: 'one', EndTime: 'Nov 2, 2026, 14:00:09 UTC' },
      { JobId: 'p2', Counts: { Succeeded: 3 } },
      { JobId: 'gone', Counts: { Waiting: 3 } },
    ],
    children: {
      p1: [
        { JobId: 'c1', DeviceId: 'one' },
        { JobId: 'c2', DeviceId: 'two', StartTime: 'Nov 2, 2026, 14:00:09 UTC' },
        { JobId: 'c3', DeviceId: 'three', Result: 'fine' },
      ],
    },
  });
  const reader = new QueueReader(source);
  const queues = await reader.read(never);
  assert.deepEqual(idsOf(queues), { one: 'j1 c1 j2', two: 'c2' });
  assert.deepEqual(
    queues.get('two')?.map(({ JobName, ParentJobId, ArtifactId, state }) => [JobName, ParentJobId, ArtifactId, state]),
    [['nightly', 'p1', 'x', 'Running']],
  );
  assert.deepEqual(asked, ['queues', 'list', 'p1', 'gone']);
});

test('children are read again only when they may have moved', async () => {
  const rows = {
    list: [
      { JobId: 'counted', Counts: { Waiting: 1 } } as object,
      { JobId: 'open', DeviceId: '' },
      { JobId: 'over', DeviceId: '' },
    ],
    children: {
      counted: [{ JobId: 'c1', DeviceId: 'one' } as object],
      open: [{ JobId: 'c2', DeviceId: 'two' }],
      over: [{ JobId: 'c3', DeviceId: 'three', EndTime: 'some day' }],
    },
  };
  const { source, asked } = fake(rows);
  const reader = new QueueReader(source);
  assert.deepEqual(idsOf(await reader.read(never)), { one: 'c1', two: 'c2' });
  asked.length = 0;
  assert.deepEqual(idsOf(await reader.read(never)), { one: 'c1', two: 'c2' });
  assert.deepEqual(asked, ['list', 'open']);

  asked.length = 0;
  rows.list[0] = { JobId: 'counted', Counts: { Running: 1 } };
  rows.children.counted = [{ JobId: 'c1', DeviceId: 'one', StartTime: 'some day' }];
  assert.equal((await reader.read(never)).get('one')?.[0]?.state, 'Running');
  assert.deepEqual(asked, ['list', 'counted', 'open']);
});

test('a list with the newest first is read from its end', async () => {
  const { source } = fake({
    list: [
      { JobId: 'newest', DeviceId: 'two', CreatedTime: '2026-11-02T14:00:09Z' },
      { JobId: 'new', DeviceId: 'one' },
      { JobId: 'old', DeviceId: 'one' },
      { JobId: 'oldest', DeviceId: 'two', CreatedTime: '2026-11-02T14:00:01Z' },
    ],
  });
  assert.deepEqual(idsOf(await new QueueReader(source).read(never)), { two: 'oldest newest', one: 'old new' });
});

test('a service that is away or signed out is no service without the addition', async () => {
  const { source, asked } = fake({ list: [] });
  for (const error of [refused(401), refused(503), new ApiError('network', 'x')])
    await assert.rejects(new QueueReader({ ...source, queues: () => Promise.reject(error) }).read(never), error);
  assert.deepEqual(asked, []);
});
