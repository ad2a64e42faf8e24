import assert from 'node:assert/strict';
import { test } from 'node:test';
import { device } from '#/contract/devices.ts';
import { job } from '#/contract/jobs.ts';
import { indexOf } from '#/fleet/index-of.ts';
import { byName, failedLately, endedWithoutResult, fleetFigures, runningNow } from './figures.ts';

const now = new Date('2026-11-02T12:00:00Z');
const aJob = (fields: object) => job.parse({ JobId: 'j', JobName: 'update', ...fields });
const aDevice = (DeviceId: string, fields: object) => device.parse({ DeviceId, ...fields });

test('an unknown state is neither Online nor Offline', () => {
  const fleet = indexOf([
    aDevice('a', { DeviceStatus: 'online' }),
    aDevice('b', { DeviceStatus: 'OFFLINE' }),
    aDevice('c', { DeviceStatus: 'Sleeping' }),
  ]);
  assert.deepEqual(fleetFigures(fleet), {
    online: 1,
    offline: 1,
    isNew: 0,
    others: [{ state: 'Sleeping', count: 1 }],
    problems: [],
  });
});

test('devices whose agent has a problem are counted by its kind', () => {
  const fleet = indexOf([
    aDevice('a', { AgentProblem: 'TooOld' }),
    aDevice('b', { AgentProblem: '' }),
    aDevice('c', { AgentProblem: 'TooOld' }),
    aDevice('d', { AgentProblem: 'UpdateFailed' }),
  ]);
  assert.deepEqual(fleetFigures(fleet).problems, [
    { problem: 'TooOld', count: 2 },
    { problem: 'UpdateFailed', count: 1 },
  ]);
});

test('waiting and running jobs are listed newest first, with their children counted', () => {
  const lines = runningNow([
    aJob({ JobId: 'old', Status: 'Waiting', CreatedTime: 'Nov 1, 2026, 10:00:00 UTC' }),
    aJob({ JobId: 'done', Status: 'Succeeded', StartTime: 'x', EndTime: 'y' }),
    aJob({ JobId: 'group', StartTime: 'Nov 2, 2026, 10:00:00 UTC', Counts: { Succeeded: 3, Running: 1, Waiting: 2 } }),
  ]);
  assert.deepEqual(
    lines.map((line) => [line.job.JobId, line.state, line.detail]),
    [
      ['group', 'Running', '3 of 6 done'],
      ['old', 'Waiting', 'Waiting'],
    ],
  );
});

test('a running job has the state that the list of jobs shows, and says how many devices it waits for', () => {
  const lines = runningNow([
    aJob({ JobId: 'begun', Counts: { Succeeded: 3, Waiting: 3 } }),
    aJob({ JobId: '300', Counts: { Succeeded: 700, Waiting: 300 }, WaitingOffline: 300 }),
    aJob({ JobId: '8', Counts: { succeeded: 2, scheduled: 8 }, WaitingOffline: 8 }),
  ]);
  assert.deepEqual(
    lines.map((line) => [line.state, line.detail]),
    [
      ['Running', '3 of 6 done'],
      ['Waiting', '700 of 1,000 done · 300 waiting for offline devices'],
      ['Waiting', '2 of 10 done · 8 waiting for offline devices'],
    ],
  );
});

test('jobs that failed within a day are listed with their exit code, parents by their children', () => {
  const lines = failedLately(
    [
      aJob({ JobId: 'one', Status: 'Failed', ExitCode: 3, EndTime: 'Nov 2, 2026, 11:00:00 UTC' }),
      aJob({ JobId: 'ancient', Status: 'Failed', EndTime: 'Oct 2, 2026, 11:00:00 UTC' }),
      aJob({ JobId: 'fine', Status: 'Succeeded', EndTime: 'Nov 2, 2026, 11:00:00 UTC' }),
      aJob({
        JobId: 'group',
        EndTime: 'Nov 2, 2026, 11:30:00 UTC',
        Counts: { Succeeded: 3, Failed: 1, Interrupted: 1 },
      }),
    ],
    now,
  );
  assert.deepEqual(
    lines.map((line) => [line.job.JobId, line.detail]),
    [
      ['group', '2 of 5 devices failed'],
      ['one', 'Failed, exit code 3'],
    ],
  );
});

test('jobs that ended without a result are counted, since they may have failed', () => {
  const jobs = [
    aJob({ JobId: 'one', Status: 'Finished', EndTime: 'Nov 2, 2026, 11:00:00 UTC' }),
    aJob({ JobId: 'ancient', Status: 'Finished', EndTime: 'Oct 2, 2026, 11:00:00 UTC' }),
    aJob({ JobId: 'fine', Status: 'Succeeded', EndTime: 'Nov 2, 2026, 11:00:00 UTC' }),
  ];
  assert.equal(endedWithoutResult(jobs, now), 1);
});

test('a job that rolled back by an outcome rule has failed, even with exit code 0', () => {
  const jobs = [
    aJob({
      JobId: 'one',
      Status: 'Succeeded',
      ExitCode: 0,
      Verdict: 'RolledBack',
      EndTime: 'Nov 2, 2026, 11:00:00 UTC',
    }),
    aJob({
      JobId: 'group',
      EndTime: 'Nov 2, 2026, 11:30:00 UTC',
      Counts: { Succeeded: 5 },
      VerdictCounts: { Succeeded: 3, RolledBack: 2 },
    }),
  ];
  const lines = failedLately(jobs, now);
  assert.deepEqual(
    lines.map((line) => [line.job.JobId, line.state, line.detail]),
    [
      ['group', 'Rolled back', '2 of 5 devices rolled back'],
      ['one', 'Rolled back', 'Rolled back'],
    ],
  );
});

test('a deployment to a selection is one line, never mixed with one to a group', () => {
  const jobs = [
    ...['a', 'b', 'c'].map((JobId) => aJob({ JobId, DeviceId: JobId, Status: 'Failed' })),
    aJob({ JobId: 'group', Counts: { Failed: 1 } }),
    aJob({ JobId: 'nameless', JobName: '', Status: 'Failed' }),
  ];
  assert.deepEqual(
    byName(failedLately(jobs, now)).map((same) => same.map(({ job: { JobId } }) => JobId)),
    [['a', 'b', 'c'], ['group'], ['nameless']],
  );
});
