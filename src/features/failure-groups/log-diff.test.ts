import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diffLogs } from './log-diff.ts';

const log = (stdout: string | string[], stderr = '', names: string[] = []) => ({
  stdout: Array.isArray(stdout) ? stdout.join('\n') : stdout,
  stderr,
  names,
});
const shown = (result: ReturnType<typeof diffLogs>) =>
  result.rows.map(
    ({ side, text, count }) =>
      ({ both: ' ', failed: '-', healthy: '+', gap: '~' })[side] + (side === 'gap' ? count : text),
  );

test('lines that differ only in varying parts are equal', () => {
  const result = diffLogs(log('unit-1 starts at 10:00:01\nfree: 5 kB\nno room', '', ['unit-1']), [
    log('unit-2 starts at 11:11:11\nfree: 900 kB\nwritten\ndone', '', ['unit-2']),
  ]);
  assert.deepEqual(shown(result), [' unit-1 starts at 10:00:01', ' free: 5 kB', '-no room', '+written', '+done']);
  assert.equal(result.sameUntil, 2);
});

test('long runs of common lines are folded, except for a few lines around each difference', () => {
  const words = 'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu'.split(' ');
  const result = diffLogs(log([...words, 'bad', ...words]), [log([...words, 'good', 'better', ...words])]);
  assert.deepEqual(shown(result), [
    '~9',
    ' kappa',
    ' lambda',
    ' mu',
    '-bad',
    '+good',
    '+better',
    ' alpha',
    ' beta',
    ' gamma',
    '~9',
  ]);
});

test('the most similar healthy log is used; stderr is compared with stderr', () => {
  const result = diffLogs(log('a\nb\nc', 'warn'), [log('x\ny'), log('a\nb\nc\nd', 'warn'), log('a')]);
  assert.equal(result.against, 1);
  assert.deepEqual(shown(result), [' a', ' b', ' c', '+d', ' warn']);
  assert.deepEqual(shown(diffLogs(log('warn'), [log('', 'warn')])), ['-warn', '+warn']);
  assert.deepEqual(shown(diffLogs(log(''), [log('')])), []);
});

test('logs that differ everywhere are compared by their beginning', () => {
  const word = (n: number) => Array.from(String(n), (digit) => 'abcdefghij'[Number(digit)]).join('');
  const lines = (from: number) => ['same', ...Array.from({ length: 2000 }, (_, n) => word(from + n))];
  const result = diffLogs(log(lines(0)), [log(lines(5000))]);
  assert.equal(result.coarse, true);
  assert.equal(result.sameUntil, 1);
  assert.equal(result.rows.length, 600);
  assert.ok(result.more > 3000);
});
