import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { QueuedJob } from '#/features/job-queue/queues.ts';
import { DAY } from '#/features/job-queue/stale.ts';
import { filterQueues, queueFigures, queueRows, queuesUrl, sortQueues, staleOf } from './queue-rows.ts';

const now = Date.UTC(2026, 10, 21);
const rules = { now, days: 7, versions: new Map(), deleted: new Set(['gone']) };
let number = 0;
const job = (JobName: string, daysAgo: number | undefined, fields: Partial<QueuedJob> = {}): QueuedJob => ({
  JobId: `j${++number}`,
  JobName,
  DeviceId: '',
  DeviceName: '',
  ParentJobId: undefined,
  ArtifactId: undefined,
  WorkflowId: undefined,
  created: daysAgo === undefined ? undefined : now - daysAgo * DAY,
  state: 'Waiting',
  canStop: false,
  ...fields,
});

const rows = queueRows(
  new Map([
    ['one', [job('nightly', 1, { state: 'Running' }), job('old', 9), job('lost', 2, { ArtifactId: 'gone' })]],
    ['two', [job('a', 3, { DeviceName: 'camera-2' }), job('b', 3), job('c', 3), job('d', 3)]],
    ['ten', [job('untold', undefined, { DeviceName: 'camera-10' })]],
    ['hub', [job('whose', 30)]],
  ]),
  rules,
);
const found = (query: string) => {
  const view = queuesUrl.read(query);
  return sortQueues(filterQueues(rows, view, now), view.sort).map(({ id }) => id);
};

test('the longest wait comes first; without a time, last', () => {
  assert.deepEqual(found(''), ['hub', 'one', 'two', 'ten']);
  assert.deepEqual(found('sort=-oldest'), ['two', 'one', 'hub', 'ten']);
});

test('sorts by length and by name', () => {
  assert.deepEqual(found('sort=-waiting'), ['two', 'one', 'ten', 'hub']);
  assert.deepEqual(found('sort=device').slice(0, 2), ['two', 'ten']);
});

test('filters by device, job, age, artifact and stale jobs', () => {
  assert.deepEqual(found('q=CAMERA'), ['two', 'ten']);
  assert.deepEqual(found('q=nightly'), ['one']);
  assert.deepEqual(found('older=7'), ['hub', 'one']);
  assert.deepEqual(found('artifact=gone'), ['one']);
  assert.deepEqual(found('stale=any'), ['hub', 'one']);
  assert.deepEqual(found('stale=deleted'), ['one']);
  assert.deepEqual(found('stale=superseded'), []);
  assert.deepEqual(found('stale=nonsense').length, 4);
  assert.deepEqual(found('status=Offline'), []);
});

test('a reason selects only the stale jobs with it', () => {
  const [one] = filterQueues(rows, queuesUrl.read('q=one'), now);
  assert.ok(one);
  assert.deepEqual(
    staleOf(one, { stale: 'any' }).map(({ JobName }) => JobName),
    ['old', 'lost'],
  );
  assert.deepEqual(
    staleOf(one, { stale: 'deleted' }).map(({ JobName }) => JobName),
    ['lost'],
  );
});

test('the figures name the longest queue and the oldest job', () => {
  const { longest, oldest, ...counts } = queueFigures(rows);
  assert.deepEqual([longest?.id, oldest?.id], ['two', 'hub']);
  assert.deepEqual(counts, { devices: 4, waiting: 8, running: 1, stale: 3, staleDevices: 2, staleOffline: 0 });
});
