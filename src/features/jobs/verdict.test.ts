import assert from 'node:assert/strict';
import { test } from 'node:test';
import { job as jobSchema } from '#/contract/jobs.ts';
import { countVerdicts, verdictCountsOf, verdictOf } from './verdict.ts';

function judged(fields: object) {
  const { verdict, because } = verdictOf(jobSchema.parse({ JobId: 'j', StartTime: 'a', EndTime: 'b', ...fields }));
  return `${verdict}: ${because}`;
}
const ours = (ExitCode: number, Stdout: string, Stderr = '') => ({
  Status: ExitCode === 0 ? 'Succeeded' : 'Failed',
  ExitCode,
  Stdout,
  Stderr,
});

test('the verdict of the service, with the deciding line', () => {
  const job = jobSchema.parse({
    JobId: 'j',
    Status: 'Succeeded',
    Verdict: 'RolledBack',
    VerdictBecause: 'rule “back” at line 2',
    VerdictStream: 'stdout',
    VerdictLine: 2,
  });
  assert.deepEqual(verdictOf(job), {
    verdict: 'Rolled back',
    because: 'rule “back” at line 2',
    position: { stream: 'stdout', line: 2 },
    raw: 'Succeeded',
  });
  assert.equal(judged({ Status: 'Succeeded', Verdict: 'NoAnswer' }), 'No answer: its rules');
  assert.deepEqual(verdictCountsOf({ VerdictCounts: { NoAnswer: 1, Succeeded: 2 } }), { 'No answer': 1, Succeeded: 2 });
  assert.equal(verdictCountsOf({ VerdictCounts: undefined }), undefined);
});

test('without a verdict: the exit code, else the Status, else the last line, else unknown', () => {
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

test('counts verdicts', () => {
  const job = jobSchema.parse({ JobId: 'j', EndTime: 'b', ExitCode: 0 });
  assert.deepEqual(countVerdicts([verdictOf(job), verdictOf(job)]), { Succeeded: 2 });
});
