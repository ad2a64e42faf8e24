import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PendingDevice } from '#/contract/enrolment.ts';
import type { FiringAlert } from '#/contract/alerts.ts';
import type { Job } from '#/contract/jobs.ts';
import type { RolloutSummary } from '#/contract/rollouts.ts';
import { needsOf } from './needs.ts';

const rollout = (RolloutId: string, State: string, Because = '') =>
  ({ RolloutId, Name: RolloutId, State, Because }) as RolloutSummary;
const alert = (RuleId: string, Silence?: object, ...names: string[]) =>
  ({
    RuleId,
    Rule: RuleId,
    Text: `${RuleId} fires`,
    Since: '2026-03-20T12:00:00Z',
    Devices: names.map((DeviceName) => ({ DeviceName })),
    Silence,
  }) as FiringAlert;
const failure = (JobId: string, at: number) => ({
  job: { JobId, JobName: JobId } as Job,
  state: 'Failed' as const,
  detail: 'Failed',
  at: new Date(at),
});
const NOTHING = { rollouts: [], alerts: [], failed: [], seenAt: 0, pending: [], limits: [], stale: 0 };

test('nothing needs a person where nothing is wrong', () => {
  const rollouts = [
    rollout('runs', 'Running'),
    rollout('window', 'Waiting', 'Wave 2 waits for its maintenance window, which opens at 2026-03-20T22:00Z'),
  ];
  assert.deepEqual(needsOf({ ...NOTHING, rollouts, alerts: [alert('quiet', { Until: '' })] }), []);
});

test('an alert of a single device says which it is', () => {
  const alerts = [alert('camera', undefined, 'north'), alert('gateway', undefined, 'east', 'west')];
  assert.deepEqual(
    needsOf({ ...NOTHING, alerts }).map(({ text }) => text),
    ['north: camera fires', 'gateway fires'],
  );
});

test('the most urgent is first', () => {
  const needs = needsOf({
    rollouts: [
      rollout('waits', 'Waiting', 'Wave 1 passed. Wave 2 is waiting for approval'),
      rollout('paused', 'Paused', '2 of 3 failed'),
    ],
    alerts: [alert('gateway')],
    failed: [failure('one', 5), failure('two', 3)],
    seenAt: 0,
    pending: [],
    limits: [{ label: 'Device licences', used: 9, limit: 10, days: 3, to: '/devices' }],
    stale: 1,
  });
  assert.deepEqual(
    needs.map(({ text, detail }) => [text, detail]),
    [
      ['paused is paused', '2 of 3 failed'],
      ['waits waits for you', 'Wave 1 passed. Wave 2 is waiting for approval'],
      ['gateway fires', 'gateway'],
      ['2 jobs failed in 24 h', 'one, two'],
      ['Device licences: 90% used', 'Full in about 3 days'],
      ['1 device with stale jobs in its queue', undefined],
    ],
  );
});

test('failures that have been looked at are not shown again', () => {
  const failed = [failure('new', 5), failure('old', 3)];
  assert.deepEqual(
    needsOf({ ...NOTHING, failed, seenAt: 3 }).map(({ text, to }) => [text, to]),
    [['new', '/jobs/new']],
  );
  assert.deepEqual(needsOf({ ...NOTHING, failed, seenAt: 5 }), []);
});

test('devices that wait for approval are one line, which warns of possible clones', () => {
  const device = (DeviceName: string, State: string, Because: string) =>
    ({ DeviceName, State, Because, FirstSeenTime: '2026-03-20T12:00:00Z' }) as PendingDevice;
  const pump = device('pump', 'Waiting', 'NeedsApproval');
  const textOf = (pending: PendingDevice[]) =>
    needsOf({ ...NOTHING, pending }).map(({ text, detail }) => [text, detail]);
  assert.deepEqual(textOf([device('old', 'Rejected', 'NeedsApproval')]), []);
  assert.deepEqual(textOf([pump]), [['pump is waiting for approval', undefined]]);
  assert.deepEqual(textOf([pump, device('copy', 'Waiting', 'PossibleClone')]), [
    ['2 devices are waiting for approval', 'One may be a clone'],
  ]);
});
