import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMarks } from './read-marks.ts';
import { verdictOf } from './verdict.ts';
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
  assert.deepEqual(
    [untried?.why, untried?.fate],
    ['it is no pattern (missing closing ) at “a(b”)', 'must be rewritten'],
  );
});

test('what backtracks for ever elsewhere is found on one line of nine megabytes', () => {
  const done = rule('^(.|x)*done', { Pattern: true });
  const text = 'x'.repeat(9_500_000);
  assert.equal(found(text, done), 'nothing');
  assert.match(found(`${text}done`, done), /^stdout:1 x/);
  assert.equal(found(`${'a'.repeat(60)}!`, rule('(a+)+$', { Pattern: true })), 'nothing');
});

test('a pattern is announced before it is tried, and one known as slow is not tried', () => {
  const tried: number[] = [];
  const slow = rule('(a+)+$', { Pattern: true, Verdict: 'Failed' });
  const ok = rule('ok', { Pattern: true });
  const reading = readMarks([{ name: 'stdout', text: 'ok' }], [ok, slow], {
    skip: new Map([[1, 'it is slow']]),
    before: (index) => tried.push(index),
  });
  assert.deepEqual(tried, [0]);
  assert.equal(reading.found?.rule, ok);
  assert.deepEqual(reading.untried, { rule: slow, why: 'it is slow' });
});

test('patterns share a budget; when it is used up the rest of them is untried, and text is still found', () => {
  const rules = [
    rule('one', { Pattern: true }),
    rule('two', { Pattern: true }),
    rule('three', { Pattern: true }),
    rule('a line'),
  ];
  let clock = 0;
  const { each, found: mark } = readMarks([{ name: 'stdout', text: 'a line\n'.repeat(50_000) }], rules, {
    budgetMs: 100,
    spent: () => clock++,
    all: true,
  });
  assert.deepEqual(
    each.map((one) => one && ('why' in one ? one.why : one.line)),
    [undefined, 'the patterns take too long on this output', 'the patterns take too long on this output', 1],
  );
  assert.equal(mark?.rule, rules[3]);
});

test('beside a rule that must be rewritten no mark counts as a success, but a failure is one', () => {
  const broken = rule('ok(?=!)', { Pattern: true });
  const ok = rule('ok');
  const streams = [{ name: 'stdout', text: 'ok\nbad' }];
  assert.equal(readMarks(streams, [ok, broken]).untried?.rule, broken);
  const judged = (rules: Rule[]) => {
    const { verdict, because } = verdictOf({ status: 'Succeeded', exit_code: 0 }, rules, readMarks(streams, rules));
    return `${verdict}: ${because}`;
  };
  assert.equal(
    judged([ok, broken]),
    'NoAnswer: rule “ok(?=!)”, which must be rewritten: look-ahead “(?=” cannot be used: write what follows as a part of the pattern, or make a rule of its own for it',
  );
  assert.equal(judged([ok, broken, rule('bad', { Verdict: 'Failed' })]), 'Failed: rule “bad” at line 2');
});
