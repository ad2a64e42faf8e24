// Jobs in the shapes of several services, and the rule of one target and one thing to run.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobDraft } from '#/contract/job-draft.ts';
import { job, jobEndpoints } from '#/contract/jobs.ts';

test('a listing of jobs rejects anything that is not one', () => {
  const { response } = jobEndpoints.queues;
  assert.deepEqual(response.parse([]), []);
  assert.equal(response.parse([{ JobId: 'j1' }])[0]?.JobId, 'j1');
  for (const other of [
    { Devices: null, TotalNumDevices: 0 },
    { Devices: [{ DeviceId: 'd1' }] },
    [{ DeviceId: 'd1' }],
    { Jobs: [] },
    null,
    '',
    '<html>',
  ])
    assert.ok(!response.safeParse(other).success, JSON.stringify(other));
});

test('spellings of output fields are normalised', () => {
  for (const field of ['Stdout', 'StdOut', 'Output'])
    assert.equal(job.parse({ JobId: 'j', [field]: 'hello' }).Stdout, 'hello');
  assert.equal(job.parse({ JobId: 'j', StdErr: 'oops' }).Stderr, 'oops');
  assert.equal(job.parse({ JobId: 'j', Name: 'roll out' }).JobName, 'roll out');
  assert.equal(job.parse({ JobId: 'j', ExitCode: '3' }).ExitCode, 3);
});

test('an invalid child does not affect the others', () => {
  const children = jobEndpoints.children.response.parse([
    { JobId: 'a', Result: 'done' },
    { something: 'else', Counts: 'many', ExitCode: 'none' },
    { JobId: 'c', Result: { lines: ['one', 'two'] } },
    'only text',
    null,
  ]);
  assert.equal(children.length, 5);
  assert.equal(children[0]?.Result, 'done');
  assert.equal(children[1]?.something, 'else');
  assert.equal(children[2]?.Result, '{"lines":["one","two"]}');
  assert.equal(children[3]?.Result, 'only text');
  assert.equal(children[4]?.Result, '');
});

test('a draft has one target and one artifact or workflow', () => {
  const good = { Name: 'n', DeviceId: 'd', ArtifactId: 'a' };
  assert.ok(jobDraft.safeParse(good).success);
  for (const bad of [
    { ...good, DeviceGroup: '' },
    { ...good, TagId: '' },
    { ...good, WorkflowId: '' },
    { Name: 'n', ArtifactId: 'a' },
    { ...good, DeviceGroup: 'g' },
    { ...good, TagId: 't' },
    { Name: 'n', DeviceId: 'd' },
    { ...good, WorkflowId: 'w' },
    { ...good, Name: ' ' },
    { ...good, DeviceId: 7 },
  ])
    assert.ok(!jobDraft.safeParse(bad).success, JSON.stringify(bad));
});

test('the answer to one job is a job with an id, or an unexpected answer', () => {
  const { response } = jobEndpoints.get;
  assert.equal(response.safeParse({ JobId: 'j' }).data?.JobId, 'j');
  for (const other of [{ greeting: 'hello' }, [], 'maintenance', null]) assert.ok(!response.safeParse(other).success);
});

test('a job of our own service is taken unchanged; one with a field of another type is read leniently', () => {
  const ours = { JobId: 'j', JobName: 'n', DeviceId: '', Command: 'c', StartTime: '', EndTime: '', Result: '' };
  const exact = { ...ours, Status: 'Running', Counts: { Running: 2 }, More: [1] };
  assert.equal(job.parse(exact), exact);
  assert.equal(jobEndpoints.list.response.parse([exact])[0], exact);
  assert.deepEqual(job.parse({ ...ours, EndTime: null, ExitCode: '0' }), { ...ours, ExitCode: 0 });
  assert.deepEqual(job.parse({ ...ours, Counts: { Running: 'many' } }), { ...ours, Counts: undefined });
  assert.equal(job.parse({ ...ours, StdErr: 'oops' }).Stderr, 'oops');
});
