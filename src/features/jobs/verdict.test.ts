import assert from 'node:assert/strict';
import { test } from 'node:test';
import { job as jobSchema } from '#/contract/jobs.ts';
import { outputOf } from './job-output.ts';
import { readMarks } from '#/features/outcome-rules/read-marks.ts';
import type { Rule } from './rule.ts';
import { countVerdicts, verdictOf } from './verdict.ts';

const rule = (verdict: Rule['verdict'], find: string, more: Partial<Rule> = {}): Rule => ({
  find,
  pattern: false,
  caseSensitive: false,
  stream: 'both',
  verdict,
  ...more,
});
const SUCCEEDED = rule('Succeeded', 'RESULT: ok');
const FAILED = rule('Failed', 'RESULT: failed');
const BACK = rule('Rolled back', 'RESULT: rolled back');
const ALL = [SUCCEEDED, FAILED, BACK];

function judged(fields: object, rules: Rule[] = []) {
  const job = jobSchema.parse({ JobId: 'j', StartTime: 'a', EndTime: 'b', ...fields });
  const { verdict, because } = verdictOf(job, rules, readMarks(outputOf(job).streams, rules));
  return `${verdict}: ${because}`;
}
const ours = (ExitCode: number, Stdout: string, Stderr = '') => ({
  Status: ExitCode === 0 ? 'Succeeded' : 'Failed',
  ExitCode,
  Stdout,
  Stderr,
});

test('the worst mark decides, wherever it is; an exit code other than 0 is as a mark of failure', () => {
  const table: [fields: object, rules: Rule[], expected: string][] = [
    [ours(0, 'RESULT: ok'), ALL, 'Succeeded: rule “RESULT: ok” at line 1'],
    [ours(0, 'x\nRESULT: rolled back\nRESULT: ok'), ALL, 'Rolled back: rule “RESULT: rolled back” at line 2'],
    [ours(0, 'RESULT: ok\nRESULT: failed'), ALL, 'Failed: rule “RESULT: failed” at line 2'],
    [ours(0, 'RESULT: failed\nRESULT: rolled back'), ALL, 'Rolled back: rule “RESULT: rolled back” at line 2'],
    [ours(0, 'nothing'), ALL, 'No answer: the lack of any mark of success in its output'],
    [ours(0, 'nothing'), [FAILED, BACK], 'Succeeded: exit code 0'],
    [ours(1, 'RESULT: ok'), ALL, 'Failed: exit code 1'],
    [ours(1, 'RESULT: failed'), ALL, 'Failed: exit code 1'],
    [ours(1, 'RESULT: rolled back'), ALL, 'Rolled back: rule “RESULT: rolled back” at line 1'],
    [ours(1, 'nothing'), ALL, 'Failed: exit code 1'],
    [ours(0, 'a', 'b\nRESULT: failed'), ALL, 'Failed: rule “RESULT: failed” at line 2 of stderr'],
    [{ Status: 'Interrupted', Stdout: 'RESULT: ok' }, ALL, 'Interrupted: the service'],
    [
      { Status: 'Interrupted', Stdout: 'RESULT: rolled back' },
      ALL,
      'Rolled back: rule “RESULT: rolled back” at line 1',
    ],
    [{ Status: 'Cancelled', Stdout: 'RESULT: ok' }, ALL, 'Cancelled: the service'],
    [{ Status: 'Running', EndTime: '', Stdout: 'RESULT: failed' }, ALL, 'Running: the service'],
    [{ Result: 'x\nRESULT: ok' }, ALL, 'Succeeded: rule “RESULT: ok” at line 2'],
    [{ Result: 'x' }, ALL, 'No answer: the lack of any mark of success in its output'],
  ];
  for (const [fields, rules, expected] of table) assert.equal(judged(fields, rules), expected);
});

test('without rules: the exit code, else the Status, else what the last line says, else nobody knows', () => {
  assert.equal(judged(ours(3, 'done')), 'Failed: exit code 3');
  assert.equal(judged({ Status: 'Failed' }), 'Failed: the service');
  const expected = (Result: string) => judged({ Result, Status: 'EXECUTED' }).replace(/:.*/, '');
  const table: Record<string, string[]> = {
    Succeeded: ['fetching\nDone.\n', '\u001b[32mUpdate completed\u001b[0m', 'Installation successful', 'OK'],
    Failed: [
      'error: disk full',
      'sh: 1: foo: not found',
      'tar: write: No space left on device',
      'Update failed, giving up',
    ],
    'Rolled back': ['trying\nRolled back to 1.0', 'Rollback complete'],
    Finished: [
      '',
      'hello',
      'not done',
      'Update would be completed',
      'no rollback done',
      'done 3 of 4',
      'check ok soon',
    ],
  };
  for (const [verdict, texts] of Object.entries(table))
    for (const text of texts) assert.equal(expected(text), verdict, text);
  assert.equal(judged({ Result: 'x\nOK' }), 'Succeeded: its output, “OK” at line 2');
});

test('a rule that could not be tried takes a success away, never a failure', () => {
  const broken = rule('Rolled back', '(', { pattern: true });
  assert.match(
    judged(ours(0, 'RESULT: ok'), [SUCCEEDED, broken]),
    /^No answer: rule “\(”, which could not be tried: it is/,
  );
  assert.match(judged(ours(0, 'RESULT: failed'), [FAILED, broken]), /^Failed/);
  assert.match(judged(ours(2, ''), [FAILED, broken]), /^Failed: exit code 2/);
  const brokenSuccess = rule('Succeeded', '[', { pattern: true });
  assert.match(judged(ours(0, 'RESULT: ok'), [brokenSuccess, SUCCEEDED]), /^Succeeded/);
});

test('counts verdicts', () => {
  const job = jobSchema.parse({ JobId: 'j', EndTime: 'b', ExitCode: 0 });
  assert.deepEqual(countVerdicts([verdictOf(job), verdictOf(job)]), { Succeeded: 2 });
});
