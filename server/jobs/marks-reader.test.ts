import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import type { Rule } from '#/contract/rules.ts';
import { openMarksReader } from './marks-reader.ts';

const rule = (Find: string, Verdict: Rule['Verdict'], Pattern = true): Rule => ({
  Find,
  Pattern,
  CaseSensitive: true,
  Stream: 'both',
  Verdict,
});
const output = (text: string) => [{ name: 'stdout', text }];
/** No state of its automaton comes twice on this line: about 10 µs for each character. */
const SLOW = '(?i)(.|x)*a.{300}done';
let seed = 1;
const next = () => (seed = (seed * 1103515245 + 12345) & 0x7fffffff);
const slowLine = Array.from({ length: 400_000 }, () => (next() & 0x10000 ? 'a' : 'b')).join('');

test('a pattern that takes too long on one line is ended there; text and the other outputs are read', async (t) => {
  const reader = openMarksReader({ budgetMs: 60 });
  t.after(() => reader.close());
  const rules = [rule('^ok$', 'Succeeded'), rule(SLOW, 'Failed'), rule('fine', 'Succeeded', false)];
  const [one, two, three] = await reader.read([output('ok'), output(`fine\n${slowLine}`), output('ok')], rules);
  assert.deepEqual([one?.found?.line, one?.untried], [1, undefined]);
  assert.equal(two?.found?.rule.Find, 'fine');
  assert.deepEqual([two?.untried?.rule.Find, two?.untried?.why], [SLOW, 'the patterns take too long on this output']);
  assert.deepEqual([three?.found?.line, three?.untried], [1, undefined]);
});

test('a pattern that was too slow on three outputs is not tried on further ones', async (t) => {
  const reader = openMarksReader({ budgetMs: 30 });
  t.after(() => reader.close());
  const strikes = new Map<number, number>();
  const outputs = [slowLine, slowLine, slowLine, 'short'].map(output);
  const readings = await reader.read(outputs, [rule(SLOW, 'Failed')], { strikes });
  assert.deepEqual(
    readings.map(({ untried }) => untried?.why),
    [...Array<string>(3).fill('the patterns take too long on this output'), 'it took too long on other outputs'],
  );
});

test('many slow patterns cost three budgets in all, and a quick one before them is always tried', async (t) => {
  const reader = openMarksReader({ budgetMs: 30 });
  t.after(() => reader.close());
  const rules = [rule('quick', 'Failed'), ...Array.from({ length: 9 }, (_, at) => rule(`${SLOW}${at}`, 'Failed'))];
  const lines = slowLine.replaceAll(/.{1000}/g, '$&\n');
  const readings = await reader.read([lines, lines, lines, 'x'].map(output), rules, { all: true });
  const why = (at: number) =>
    new Set(readings[at]?.each.slice(1).map((result) => (result && 'why' in result ? result.why : 'tried')));
  assert.deepEqual([...why(0)], ['the patterns take too long on this output']);
  assert.deepEqual([...why(3)], ['it took too long on other outputs']);
  assert.deepEqual(
    readings.map(({ each }) => each[0]),
    [undefined, undefined, undefined, undefined],
  );
});

test('a thread that fails or ends costs only the output that it had', async (t) => {
  const reader = openMarksReader();
  t.after(() => reader.close());
  const post = mock.method(Worker.prototype, 'postMessage', function (this: Worker) {
    post.mock.restore();
    this.emit('error', new Error('out of memory'));
    void this.terminate();
  });
  const [one, two] = await reader.read([output('a'), output('a')], [rule('a', 'Succeeded')]);
  assert.match(one?.untried?.why ?? '', /its output could not be read \(out of memory\)/);
  assert.equal(two?.found?.line, 1);
});

test('an error of a thread that is being ended does not end the process', async (t) => {
  const reader = openMarksReader({ budgetMs: 30 });
  t.after(() => reader.close());
  const terminate = mock.method(Worker.prototype, 'terminate', function (this: Worker) {
    terminate.mock.restore();
    this.emit('error', new RangeError('Maximum call stack size exceeded'));
    return this.terminate();
  });
  const [one] = await reader.read([output(slowLine)], [rule(SLOW, 'Failed')]);
  assert.match(one?.untried?.why ?? '', /too long/);
});

test('calls follow each other, and the thread begins anew after it has ended', async (t) => {
  const reader = openMarksReader();
  t.after(() => reader.close());
  const answers = await Promise.all(
    ['a', 'b', 'c'].map((text) => reader.read([output(text)], [rule(text, 'Succeeded')])),
  );
  assert.deepEqual(
    answers.map(([reading]) => reading?.found?.text),
    ['a', 'b', 'c'],
  );
});
