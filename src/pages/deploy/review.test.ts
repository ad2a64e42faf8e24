import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Device } from '#/contract/devices.ts';
import { job } from '#/contract/jobs.ts';
import type { QueuedJob } from '#/features/job-queue/queues.ts';
import { aheadOf } from '#/pages/deploy/ahead.ts';
import { changeBetween, namesText } from '#/pages/deploy/submission.ts';
import { siteText, sitesOf } from '#/pages/deploy/sites.ts';

const device = (id: string, fields: Partial<Device> = {}): Device => ({
  DeviceId: id,
  DeviceName: `device ${id}`,
  DeviceGroup: 'lab',
  LocalAddr: '',
  LocalPort: '',
  DeviceStatus: 'Online',
  ...fields,
});
const queued = (JobId: string, DeviceId: string, fields: Partial<QueuedJob> = {}): QueuedJob => ({
  JobId,
  JobName: `job ${JobId}`,
  DeviceId,
  DeviceName: '',
  ParentJobId: undefined,
  ArtifactId: undefined,
  WorkflowId: undefined,
  created: undefined,
  state: 'Waiting',
  canStop: false,
  ...fields,
});

test('counts the queued jobs of the devices of a deploy and no others, and finds duplicates', () => {
  const queues = new Map([
    ['1', [queued('a', '1'), queued('c1', '1', { ParentJobId: 'p', ArtifactId: 'x' })]],
    ['2', [queued('c2', '2', { ParentJobId: 'p', ArtifactId: 'x' })]],
    ['9', [queued('z', '9')]],
  ]);
  const jobs = [
    { JobId: 'p', JobName: 'all', DeviceGroup: 'lab', Counts: { Waiting: 2 } },
    { JobId: 'q', JobName: 'other', DeviceGroup: 'lab', Counts: { Running: 1 } },
    { JobId: 'r', JobName: 'done', DeviceGroup: 'lab', Counts: { Succeeded: 1 } },
    { JobId: 's', JobName: 'elsewhere', DeviceGroup: 'field', Counts: { Running: 1 } },
  ].map((fields) => job.parse(fields));
  const plan = {
    devices: ['1', '2', '3'].map((id) => device(id)),
    target: { kind: 'group', value: 'lab' },
    payloads: new Set(['x']),
  } as const;
  const ahead = aheadOf(plan, queues, jobs);
  assert.deepEqual([ahead.devices, ahead.jobs], [2, 3]);
  assert.deepEqual(
    ahead.queuedJobs.map(({ id, devices }) => [id, devices]),
    [
      ['p', 2],
      ['a', 1],
    ],
  );
  assert.deepEqual(
    ahead.duplicates.map(({ id }) => id),
    ['p'],
  );
  assert.deepEqual(
    ahead.overlapping.map(({ id }) => id),
    ['q'],
  );
});

test('finds who joined and who left, and nothing when only a status changed', () => {
  const reviewed = [device('1'), device('2')];
  assert.equal(changeBetween(reviewed, [device('2', { DeviceStatus: 'Offline' }), device('1')]), undefined);
  const change = changeBetween(reviewed, [device('2'), device('3')]);
  assert.deepEqual(
    [change?.joined.map(({ DeviceId }) => DeviceId), change?.left.map(({ DeviceId }) => DeviceId)],
    [['3'], ['1']],
  );
  assert.equal(
    namesText(
      ['1', '2', '3'].map((id) => device(id)),
      2,
    ),
    'device 1, device 2 and 1 more',
  );
});

test('counts by customer and site, the largest first; a service that reports neither has none', () => {
  assert.equal(sitesOf([device('1')]), undefined);
  const sites = sitesOf([
    device('1', { CustomerName: '', CustomerSite: '' }),
    device('2', { CustomerName: 'Acme', CustomerSite: 'Harbour', DeviceStatus: 'Offline' }),
    device('3', { CustomerName: 'Acme', CustomerSite: 'Harbour' }),
  ]);
  assert.deepEqual(
    sites?.map((site) => [siteText(site), site.devices.length, site.offline]),
    [
      ['Acme · Harbour', 2, 1],
      ['No customer or site', 1, 0],
    ],
  );
});
