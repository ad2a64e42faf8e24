import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMarks } from './read-marks.ts';
import type { Rule } from '#/contract/rules.ts';

const rule = (find: string, more: Partial<Rule> = {}): Rule => ({
  Find: find,
  Pattern: false,
  CaseSensitive: false,
  Stream: 'both',
  Verdict: 'Succeeded',
  ...more,
});
/** "stdout:2 the line" or "nothing". */
function found(text: string, one: Rule, name = 'stdout') {
  const { found: mark } = readMarks([{ name, text }], [one]);
  return mark ? `${mark.stream}:${mark.line} ${mark.text}` : 'nothing';
}

test('finds text in any case or as it is, and its first line', () => {
  assert.equal(found('a\nall OK\nOK', rule('ok')), 'stdout:2 all OK');
  assert.equal(found('all OK', rule('ok', { CaseSensitive: true })), 'nothing');
  assert.equal(found('a.c\nabc', rule('a.c')), 'stdout:1 a.c');
  assert.equal(found('İİİ\nx Ok', rule('ok')), 'stdout:2 x Ok');
  assert.equal(found('', rule('ok')), 'nothing');
});

test('takes colours out first; line ends of Windows and rewritten lines are no hindrance', () => {
  const done = rule('^update done$', { Pattern: true });
  assert.equal(found('\u001b[1;32mupdate\u001b[0m done\u001b[K\n', done), 'stdout:1 update done');
  assert.equal(found('\u001b[32mup\u001b[0mdate done', rule('update done')), 'stdout:1 update done');
  assert.equal(found('x\r\nupdate done\r\n', done), 'stdout:2 update done');
  assert.match(found('1%\r50%\rupdate done\n', done), /^stdout:1 /);
  assert.equal(found('x\nupdate done', done), 'stdout:2 update done');
});

test('a pattern is about one line and never goes over its end', () => {
  assert.equal(found('a\nb', rule(String.raw`a\s+b`, { Pattern: true })), 'nothing');
  assert.equal(
    found('a\nversion 1.2.3 active', rule(String.raw`version \d+\.\d+`, { Pattern: true })),
    'stdout:2 version 1.2.3 active',
  );
});

test('a rule for one stream leaves the other alone', () => {
  const onStderr = rule('broken', { Stream: 'stderr' });
  assert.equal(found('broken', onStderr), 'nothing');
  assert.equal(found('broken', onStderr, 'stderr'), 'stderr:1 broken');
});

test('a long line is shown around its mark', () => {
  const text = `${'x'.repeat(5000)}MARK${'y'.repeat(5000)}`;
  const shown = readMarks([{ name: 'stdout', text }], [rule('mark')]).found?.text ?? '';
  assert.ok(shown.length < 200 && shown.includes('MARK') && shown.startsWith('…') && shown.endsWith('…'));
});

test('a pattern that is none says why, in words', () => {
  const { untried } = readMarks([{ name: 'stdout', text: 'x' }], [rule('a(b', { Pattern: true })]);
  assert.match(untried?.why ?? '', /^it is no pattern \(unterminated group\)$/);
});

test('a pattern is announced before it is tried, and one known as slow is not tried', () => {
  const tried: number[] = [];
  const slow = rule('(a+)+$', { Pattern: true, Verdict: 'Failed' });
  const ok = rule('ok', { Pattern: true });
  const reading = readMarks([{ name: 'stdout', text: 'ok' }], [ok, slow], {
    slow: [1],
    before: (index) => tried.push(index),
  });
  assert.deepEqual(tried, [0]);
  assert.equal(reading.found?.rule, ok);
  assert.equal(reading.untried?.rule, slow);
});
