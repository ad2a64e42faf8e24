import assert from 'node:assert/strict';
import { test } from 'node:test';
import { job as jobSchema } from '#/contract/jobs.ts';
import { filterJobs, isFiltered, readFilter } from '#/pages/jobs/job-filter.ts';

const jobs = [
  jobSchema.parse({ JobId: '1', JobName: 'Update firmware', DeviceId: 'd', Status: 'Succeeded' }),
  jobSchema.parse({ JobId: '2', JobName: 'update config', DeviceId: '', Counts: { Running: 2, Failed: 1 } }),
  jobSchema.parse({ JobId: '3', JobName: 'Reboot', DeviceId: 'd', Status: 'Failed' }),
  jobSchema.parse({ JobId: '4', JobName: 'Reboot all', DeviceId: '', Counts: { Succeeded: 3, Failed: 1 } }),
];
const found = (search: string) => filterJobs(jobs, readFilter(new URLSearchParams(search))).map(({ JobId }) => JobId);

test('finds jobs by a part of the name, in any case', () => {
  assert.deepEqual(found('name=UPDATE'), ['1', '2']);
  assert.deepEqual(found(''), ['1', '2', '3', '4']);
});

test('a state finds parents with such a child; Succeeded only those that are so as a whole', () => {
  assert.deepEqual(found('state=Failed'), ['2', '3', '4']);
  assert.deepEqual(found('state=running'), ['2']);
  assert.deepEqual(found('state=Succeeded'), ['1']);
  assert.deepEqual(found('state=Failed&name=reboot'), ['3', '4']);
});

test('an unknown state in the URL is no filter', () => {
  assert.deepEqual(found('state=nonsense'), ['1', '2', '3', '4']);
  assert.equal(isFiltered(readFilter(new URLSearchParams('state=nonsense&name='))), false);
});
