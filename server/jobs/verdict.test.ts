import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobStatus } from '#/contract/jobs.ts';
import type { Rule } from '#/contract/rules.ts';
import { readMarks } from './read-marks.ts';
import { verdictOf } from './verdict.ts';

const rule = (Verdict: Rule['Verdict'], Find: string, more: Partial<Rule> = {}): Rule => ({
  Find,
  Pattern: false,
  CaseSensitive: false,
  Stream: 'both',
  Verdict,
  ...more,
});
const SUCCEEDED = rule('Succeeded', 'RESULT: ok');
const FAILED = rule('Failed', 'RESULT: failed');
const BACK = rule('RolledBack', 'RESULT: rolled back');
const ALL = [SUCCEEDED, FAILED, BACK];

function judged(exit_code: number | null, stdout: string, rules: Rule[], stderr = '') {
  const streams = [
    { name: 'stdout', text: stdout },
    { name: 'stderr', text: stderr },
  ];
  const status: JobStatus = exit_code === null ? 'Interrupted' : exit_code === 0 ? 'Succeeded' : 'Failed';
  const { verdict, because } = verdictOf({ status, exit_code }, rules, readMarks(streams, rules));
  return `${verdict}: ${because}`;
}

test('the worst mark decides, wherever it is; an exit code other than 0 is as a mark of failure', () => {
  const table: [actual: string, expected: string][] = [
    [judged(0, 'RESULT: ok', ALL), 'Succeeded: rule “RESULT: ok” at line 1'],
    [judged(0, 'x\nRESULT: rolled back\nRESULT: ok', ALL), 'RolledBack: rule “RESULT: rolled back” at line 2'],
    [judged(0, 'RESULT: ok\nRESULT: failed', ALL), 'Failed: rule “RESULT: failed” at line 2'],
    [judged(0, 'RESULT: failed\nRESULT: rolled back', ALL), 'RolledBack: rule “RESULT: rolled back” at line 2'],
    [judged(0, 'nothing', ALL), 'NoAnswer: the lack of any mark of success in its output'],
    [judged(0, 'nothing', [FAILED, BACK]), 'Succeeded: exit code 0'],
    [judged(1, 'RESULT: ok', ALL), 'Failed: exit code 1'],
    [judged(1, 'RESULT: failed', ALL), 'Failed: exit code 1'],
    [judged(1, 'RESULT: rolled back', ALL), 'RolledBack: rule “RESULT: rolled back” at line 1'],
    [judged(0, 'a', ALL, 'b\nRESULT: failed'), 'Failed: rule “RESULT: failed” at line 2 of stderr'],
    [judged(null, 'RESULT: ok', ALL), 'Interrupted: the service'],
    [judged(null, 'RESULT: rolled back', ALL), 'RolledBack: rule “RESULT: rolled back” at line 1'],
  ];
  for (const [actual, expected] of table) assert.equal(actual, expected);
});

test('a rule that could not be tried takes a success away, never a failure', () => {
  const broken = rule('RolledBack', '(', { Pattern: true });
  assert.match(judged(0, 'RESULT: ok', [SUCCEEDED, broken]), /^NoAnswer: rule “\(”, which must be rewritten/);
  assert.equal(judged(0, 'RESULT: failed', [FAILED, broken]), 'Failed: rule “RESULT: failed” at line 1');
  assert.equal(judged(2, 'RESULT: ok', [SUCCEEDED, broken]), 'Failed: exit code 2');
});
