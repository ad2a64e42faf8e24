import assert from 'node:assert/strict';
import { test } from 'node:test';
import { job as jobSchema } from '#/contract/jobs.ts';
import { choicesOf, conditionsOf, filterJobs, isJobListFiltered, jobListUrl, sortJobs } from '#/pages/jobs/job-list.ts';

const jobs = [
  jobSchema.parse({ JobId: '1', JobName: 'Update firmware', DeviceId: 'd', Status: 'Succeeded', ArtifactId: 'a1' }),
  jobSchema.parse({ JobId: '2', JobName: 'update config', DeviceGroup: 'lab', Counts: { Running: 2, Failed: 1 } }),
  jobSchema.parse({ JobId: '3', JobName: 'Reboot 10', DeviceId: 'e', DeviceName: 'camera', Status: 'Failed' }),
  jobSchema.parse({
    JobId: '4',
    JobName: 'Reboot 9',
    TagId: 't',
    Counts: { Succeeded: 3, Failed: 1 },
    ArtifactId: 'a2',
  }),
];
const found = (search: string) => filterJobs(jobs, jobListUrl.read(search)).map(({ JobId }) => JobId);
const sorted = (by: string) => sortJobs(jobs, jobListUrl.read(`sort=${by}`).sort, undefined).map(({ JobId }) => JobId);

test('finds jobs by a part of the name in any case, or by their full id', () => {
  assert.deepEqual(found('name=UPDATE'), ['1', '2']);
  assert.deepEqual(found('name=3'), ['3']);
  assert.deepEqual(found(''), ['1', '2', '3', '4']);
});

test('a state finds parents with such a child; Succeeded only those that succeeded on all devices', () => {
  assert.deepEqual(found('state=Failed'), ['2', '3', '4']);
  assert.deepEqual(found('state=running'), ['2']);
  assert.deepEqual(found('state=Succeeded'), ['1']);
  assert.deepEqual(found('state=Failed&name=reboot'), ['3', '4']);
});

test('filters by groups of states, and by jobs active within some hours', () => {
  assert.deepEqual(found('state=moving'), ['2']);
  assert.deepEqual(found('state=bad'), ['2', '3', '4']);
  assert.ok(isJobListFiltered(jobListUrl.read('within=24')));
  const ended = (EndTime: string) => [jobSchema.parse({ JobId: 'x', Status: 'Failed', EndTime })];
  const view = jobListUrl.read('state=bad&within=24');
  const now = new Date('2026-11-02T12:00:00Z');
  assert.equal(filterJobs(ended('Nov 1, 2026, 12:00:01 UTC'), view, now).length, 1);
  assert.equal(filterJobs(ended('Nov 1, 2026, 11:59:59 UTC'), view, now).length, 0);
  assert.equal(filterJobs(ended('some day'), view, now).length, 1);
});

test('verdicts of the rules are found too', () => {
  const view = jobListUrl.read('state=rolled back');
  const ruled = jobs.map((job) => ({ ...job, Verdict: 'RolledBack', VerdictCounts: job.Counts && { RolledBack: 1 } }));
  assert.equal(filterJobs(ruled, view).length, 4);
  assert.equal(filterJobs(jobs, view).length, 0);
});

test('filters by target and artifact; a device finds only the jobs to itself', () => {
  assert.deepEqual(found('device=d'), ['1']);
  assert.deepEqual(found('group=lab'), ['2']);
  assert.deepEqual(found('tag=t&artifact=a2'), ['4']);
  assert.deepEqual(found('tag=t&artifact=a1'), []);
});

test('sorts by every column, missing values last; without a sort nothing changes', () => {
  assert.deepEqual(sorted('name'), ['4', '3', '2', '1']);
  assert.deepEqual(sorted('-name'), ['1', '2', '3', '4']);
  assert.deepEqual(sorted('target'), ['3', '1', '2', '4']);
  assert.deepEqual(sorted('state'), ['3', '4', '1', '2']);
  assert.deepEqual(sorted('-started'), ['1', '2', '3', '4']);
  assert.deepEqual(sorted('nonsense'), ['1', '2', '3', '4']);
});

test('an unknown state in the URL is ignored', () => {
  assert.deepEqual(found('state=nonsense'), ['1', '2', '3', '4']);
  assert.equal(isJobListFiltered(jobListUrl.read('state=nonsense&name=&sort=name')), false);
  assert.equal(isJobListFiltered(jobListUrl.read('group=lab')), true);
});

test('offers the targets and artifacts of the jobs', () => {
  const artifact = {
    ArtifactId: 'a1',
    Name: 'fw.tar.gz',
    Version: '2.0',
    Size: 1,
    IsScript: false,
    Command: '',
    CreatedTime: '',
  };
  const { devices, groups, tags, artifacts } = choicesOf(jobs, [{ TagId: 't', TagName: 'canary' }], [artifact]);
  assert.deepEqual(devices, [
    { value: 'e', label: 'camera' },
    { value: 'd', label: 'd' },
  ]);
  assert.deepEqual(groups, [{ value: 'lab', label: 'lab' }]);
  assert.deepEqual(tags, [{ value: 't', label: 'canary' }]);
  assert.deepEqual(artifacts, [
    { value: 'a2', label: 'Deleted, a2' },
    { value: 'a1', label: 'fw.tar.gz 2.0' },
  ]);
});

test('the filter as conditions of a service: none is empty, and times change with the hour', () => {
  const of = (search: string, now = '2026-11-24T10:59:00Z') => conditionsOf(jobListUrl.read(search), new Date(now));
  assert.deepEqual(of(''), {});
  assert.deepEqual(of('?name=+up+&state=moving&group=lab'), {
    name: 'up',
    status: 'Waiting,Running',
    target: 'group:lab',
  });
  assert.deepEqual(of('?state=Rolled+back&device=d&artifact=a'), {
    status: 'RolledBack',
    target: 'device:d',
    artifact: 'a',
  });
  assert.deepEqual(of('?within=24'), { active: '2026-11-23T10:00:00.000Z' });
  assert.deepEqual(of('?within=24'), of('?within=24', '2026-11-24T10:01:00Z'));
});
