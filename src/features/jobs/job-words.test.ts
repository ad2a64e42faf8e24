import assert from 'node:assert/strict';
import { test } from 'node:test';
import { job as jobSchema } from '#/contract/jobs.ts';
import {
  explainWaiting,
  lossOf,
  nameWithoutWave,
  otherFields,
  targetOf,
  targetText,
  typedFor,
  waveText,
} from './job-words.ts';

const words = (fields: object) => targetText(targetOf(jobSchema.parse(fields), [{ TagId: 't1', TagName: 'canary' }]));

test('describes the target of a job', () => {
  assert.equal(words({ DeviceId: 'd1', DeviceName: 'camera-7' }), 'camera-7');
  assert.equal(words({ DeviceId: 'd1' }), 'd1');
  assert.equal(words({ DeviceId: '', DeviceGroup: 'lab', Counts: {} }), 'Group lab');
  assert.equal(words({ DeviceId: '', TagId: 't1' }), 'Tag canary');
  assert.equal(words({ DeviceId: '', TagId: 'gone' }), 'Tag gone');
  assert.equal(words({ DeviceId: '' }), 'Several devices');
});

test('the name of a wave leaves out what its column says', () => {
  const wave = { JobName: 'app, wave 1 of 2, wave 2 of 3', Wave: 2, WaveCount: 3 };
  assert.deepEqual([nameWithoutWave(wave), waveText(wave)], ['app, wave 1 of 2', '2 of 3']);
  assert.equal(
    nameWithoutWave({ JobName: 'app, wave 2 of 3', Wave: undefined, WaveCount: undefined }),
    'app, wave 2 of 3',
  );
  assert.equal(nameWithoutWave({ JobName: 'renamed', Wave: 2, WaveCount: 3 }), 'renamed');
});

test('describes what a delete loses', () => {
  assert.deepEqual(lossOf('Waiting', undefined), ['This cancels the waiting job. It will not run.']);
  assert.match(lossOf('Running', undefined).join(' '), /^This stops the running job/);
  assert.deepEqual(lossOf('Running', { Waiting: 1, Running: 2, Succeeded: 34 }), [
    'It is cancelled for 1 device where it still waits.',
    'It is stopped on 2 devices where it is running.',
    'The results and output of all 37 devices are deleted too.',
  ]);
});

test('only a delete that stops jobs on several devices must be confirmed by typing', () => {
  assert.equal(typedFor({ Waiting: 1, Running: 2, Succeeded: 34 }), '37');
  assert.equal(typedFor({ Succeeded: 34 }), undefined);
  assert.equal(typedFor(undefined), undefined);
});

test('a child of an unknown format shows all its fields', () => {
  const child = jobSchema.parse({ verdict: 'ok', seconds: 4, nested: { a: 1 }, nothing: null });
  assert.deepEqual(otherFields(child), [
    ['verdict', 'ok'],
    ['seconds', '4'],
    ['nested', '{"a":1}'],
  ]);
  assert.deepEqual(otherFields(jobSchema.parse({ JobId: 'j', StdOut: 'out', Status: 'Failed' })), []);
});

test('documented fields are never shown by their raw names', () => {
  const judged = {
    JobId: 'j',
    RuleName: 'myapp',
    Verdict: 'Failed',
    VerdictBecause: 'exit code 1',
    VerdictStream: 'stdout',
    VerdictLine: 3,
    OutputRemovedTime: '2026-11-24 10:00:00',
    OutputRemovedBecause: 'age',
    ArchivedTime: '2026-11-24T10:00:00Z',
  };
  assert.deepEqual(otherFields(jobSchema.parse(judged)), []);
});

test('a verdict that only another service knows is shown unchanged', () => {
  assert.deepEqual(otherFields(jobSchema.parse({ JobId: 'j', Verdict: 'unheard of' })), [['Verdict', 'unheard of']]);
});

test('a waiting job says whether its device is online', () => {
  assert.match(explainWaiting(false), /offline/);
  assert.doesNotMatch(explainWaiting(true), /offline/);
});
