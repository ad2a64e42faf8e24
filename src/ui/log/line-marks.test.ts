import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCount } from '#/lib/format.ts';
import { markText, markedBy, printMark, readMark } from './line-marks.ts';

const STREAMS = [{ name: 'stdout' }, { name: 'stderr' }];

test('a printed mark is read back', () => {
  for (const text of ['120', '120-131', 'stderr.7', 'stderr.7-9']) {
    const mark = readMark(text, STREAMS);
    assert.equal(mark && printMark(mark, STREAMS), text);
  }
  assert.deepEqual(readMark('9-3', STREAMS), { stream: 'stdout', from: 3, to: 9 });
});

test('anything else is no mark', () => {
  for (const text of [undefined, '', '0', '-1', 'x', 'other.3', '1e3', '1-', '99999999999', '<b>1'])
    assert.equal(readMark(text, STREAMS), undefined, String(text));
  assert.equal(readMark('1', []), undefined);
});

test('Shift extends the mark to a range in either direction; a second click removes it', () => {
  const one = markedBy({ stream: 'stdout', line: 5, shift: false }, undefined);
  assert.deepEqual(one, { stream: 'stdout', from: 5, to: 5 });
  assert.deepEqual(markedBy({ stream: 'stdout', line: 9, shift: true }, one), { stream: 'stdout', from: 5, to: 9 });
  assert.deepEqual(markedBy({ stream: 'stdout', line: 2, shift: true }, one), { stream: 'stdout', from: 2, to: 5 });
  assert.deepEqual(markedBy({ stream: 'stderr', line: 2, shift: true }, one), { stream: 'stderr', from: 2, to: 2 });
  assert.equal(markedBy({ stream: 'stdout', line: 5, shift: false }, one), undefined);
  assert.equal(markText({ stream: 'stdout', from: 5, to: 9 }), 'Lines 5 to 9');
  assert.equal(markText({ stream: 'stdout', from: 12_005, to: 12_005 }), `Line ${formatCount(12_005)}`);
});
