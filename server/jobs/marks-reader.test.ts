import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rule } from '#/contract/rules.ts';
import { openMarksReader } from './marks-reader.ts';

const rule = (Find: string, Verdict: Rule['Verdict']): Rule => ({
  Find,
  Pattern: true,
  CaseSensitive: true,
  Stream: 'both',
  Verdict,
});
const output = (text: string) => [{ name: 'stdout', text }];

test('a pattern that runs for ever is ended and not tried again; the others are read', async (t) => {
  const reader = openMarksReader({ limitMs: 100 });
  t.after(() => reader.close());
  const rules = [rule('^ok$', 'Succeeded'), rule('(a+)+$', 'Failed')];
  const slow = new Set<number>();
  const [one, two] = await reader.read([output('ok'), output(`ok\n${'a'.repeat(40)}!`)], rules, slow);
  assert.deepEqual([...slow], [1]);
  assert.equal(two?.found?.rule.Find, '^ok$');
  assert.match(two?.untried?.why ?? '', /takes too long/);
  assert.equal(one?.found?.line, 1);
  const [again] = await reader.read([output('x')], rules, slow);
  assert.match(again?.untried?.why ?? '', /takes too long/);
});

test('calls follow each other, and the thread begins anew after it has ended', async (t) => {
  const reader = openMarksReader({ limitMs: 100 });
  t.after(() => reader.close());
  const answers = await Promise.all(
    ['a', 'b', 'c'].map((text) => reader.read([output(text)], [rule(text, 'Succeeded')])),
  );
  assert.deepEqual(
    answers.map(([reading]) => reading?.found?.text),
    ['a', 'b', 'c'],
  );
});
