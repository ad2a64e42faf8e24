import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { job } from '#/contract/jobs.ts';
import { preflightOutcome, preflightText } from '#/pages/deploy/preflight-outcome.ts';
import { checksFault, preflightScript, type Checks } from '#/pages/deploy/preflight-script.ts';

function run(checks: Checks): { code: number; out: string } {
  try {
    return { code: 0, out: execFileSync('/bin/sh', ['-c', preflightScript(checks)], { encoding: 'utf8' }) };
  } catch (error) {
    const { status, stdout } = error as { status: number; stdout: string };
    return { code: status, out: stdout };
  }
}

test('the script passes and fails as it should, in a real shell', () => {
  assert.deepEqual(run({ disk: { path: '/', megabytes: 1 } }), { code: 0, out: 'preflight: passed\n' });
  const full = run({ disk: { path: '/', megabytes: 999_999_999 } });
  assert.equal(full.code, 1);
  assert.match(full.out, /^preflight: failed, \d+ MB free, 999999999 needed\n$/);
  assert.match(run({ disk: { path: '/no such folder', megabytes: 1 } }).out, /unknown MB free/);

  assert.equal(run({ version: { command: 'echo v1.2.3', expected: '1.2' } }).code, 0);
  assert.equal(
    run({ version: { command: 'echo v1.2.3', expected: '2.0' } }).out,
    'preflight: failed, version is v1.2.3\n',
  );
  assert.equal(
    run({ version: { command: 'false', expected: '2' } }).out,
    'preflight: failed, the version cannot be read\n',
  );
  // The expected text is neither a pattern nor a command.
  assert.equal(run({ version: { command: 'echo 1', expected: '*' } }).code, 1);
  assert.equal(run({ version: { command: `echo "it's $(id)"`, expected: `it's $(` } }).code, 1);

  assert.equal(run({ battery: { percent: 0 } }).code, 0);
  assert.equal(run({ own: 'echo looked\nexit 4' }).out, 'looked\npreflight: failed, own check ended with 4\n');
  assert.deepEqual(run({ own: 'true # fine' }), { code: 0, out: 'preflight: passed\n' });
});

test('reports what is missing', () => {
  assert.equal(checksFault({}), 'Choose a check first.');
  assert.equal(checksFault({ own: ' ' }), 'Choose a check first.');
  assert.match(checksFault({ disk: { path: '/', megabytes: Number.NaN } }) ?? '', /megabytes/);
  assert.match(checksFault({ version: { command: 'x', expected: '' } }) ?? '', /command/);
  assert.equal(checksFault({ battery: { percent: 30 } }), undefined);
});

test('a preflight passes if its job succeeds, and one that did not end by itself has no answer', () => {
  const outcome = (fields: object) => preflightOutcome(job.parse(fields));
  const ended = { EndTime: 'Nov 2, 2026, 14:00:09 UTC' };
  assert.equal(outcome({ Status: 'Succeeded' }), 'Passed');
  assert.equal(outcome({ ...ended, ExitCode: 0 }), 'Passed');
  assert.equal(outcome({ ...ended, ExitCode: 1, Result: 'preflight: passed' }), 'Failed');
  assert.equal(outcome({ ...ended, Result: 'fine' }), 'No answer');
  assert.equal(outcome({ ...ended, Status: 'Interrupted' }), 'No answer');
  assert.equal(outcome({ Status: 'DEVICE_OFFLINE' }), 'Waiting');
  assert.equal(outcome({ StartTime: 'Nov 2, 2026, 14:00:09 UTC' }), 'Running');
  assert.equal(preflightText(job.parse({ Result: 'x\npreflight: failed, battery at 3 %\n' })), 'battery at 3 %');
  assert.equal(preflightText(job.parse({ Stdout: 'all good\npreflight: passed\n', Stderr: '' })), 'all good');
});
