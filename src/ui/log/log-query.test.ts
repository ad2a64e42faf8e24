import assert from 'node:assert/strict';
import { test } from 'node:test';
import { indexLines } from './lines.ts';
import { MOST_MATCHES, firstFrom, patternOf, searchIndex, type LogQuery, type Matches } from './log-query.ts';

function matchesOf(text: string, query: string, options: Partial<LogQuery> = {}, raw = false): Matches {
  const pattern = patternOf({ text: query, exact: false, pattern: false, ...options });
  assert.ok(pattern);
  const steps = searchIndex(indexLines([text], undefined, raw), pattern);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
const search = (...asked: Parameters<typeof matchesOf>) => {
  const { rows, from, to } = matchesOf(...asked);
  return Array.from(rows, (row, at) => [row, from[at], to[at]]);
};

test('finds a text in any or the exact letter case, with its position in the row', () => {
  assert.deepEqual(search('Error here\nnone\nan ERROR, error\n', 'error'), [
    [0, 0, 5],
    [2, 3, 8],
    [2, 10, 15],
  ]);
  assert.deepEqual(search('Error here\nnone\nan ERROR, error\n', 'error', { exact: true }), [[2, 10, 15]]);
});

test('takes a query literally unless it is a pattern', () => {
  assert.deepEqual(search('a.c abc (x) [y]', 'a.c'), [[0, 0, 3]]);
  assert.deepEqual(search('(x) $1 \\d', '$1 \\d'), [[0, 4, 9]]);
  assert.deepEqual(search('one\nabc\nxabc', '^a.c$', { pattern: true }), [[1, 0, 3]]);
  assert.deepEqual(search('aab', 'x*', { pattern: true }), []);
  assert.equal(patternOf({ text: '(', exact: false, pattern: true }), undefined);
});

test('a pattern that JavaScript would silently misread is invalid, as in outcome rules', () => {
  const valid = (text: string, pattern = true) => patternOf({ text, exact: false, pattern }) !== undefined;
  for (const text of ['OK\\Z', '\\h+', '\\p{L}', 'a\\Kb', '[[:alpha:]]+', '\\\\\\e']) {
    assert.ok(!valid(text), text);
    assert.ok(valid(text, false), text);
  }
  for (const text of ['\\d\\s\\bx', '\\\\Z', '\\[a\\]', '\\u00e9\\x41\\cA', '(?<n>a)\\k<n>', '\\1', '[a:]'])
    assert.ok(valid(text), text);
});

test('searches what is shown: colour codes do not hide a word, and overwritten states are not found', () => {
  assert.deepEqual(search('first\nno \u001b[31mspa\u001b[1mce\u001b[0m left', 'space'), [[1, 3, 8]]);
  assert.deepEqual(search('10%\r20%\nend', '10%'), []);
  assert.deepEqual(search('10%\r20%\nend', '10%', {}, true), [[0, 0, 3]]);
});

test('finds everything across the slices of a long text, up to a limit', () => {
  const line = `${'x'.repeat(99)}\n`;
  const text = `${line.repeat(9_000)}needle\n${line.repeat(9_000)}needle`;
  assert.deepEqual(search(text, 'needle'), [
    [9_000, 0, 6],
    [18_001, 0, 6],
  ]);
  assert.equal(search('x'.repeat(MOST_MATCHES + 10), 'x').length, MOST_MATCHES);
});

test('finds the first match at or after a row', () => {
  const found = matchesOf('a\nb\na\na', 'a');
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((row) => firstFrom(found, row)),
    [0, 1, 1, 2, 3],
  );
});
