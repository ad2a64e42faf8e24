import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainLines, tailOf } from './plain-lines.ts';

test('colours, titles and control characters are removed', () => {
  assert.deepEqual(plainLines('\u001B[1;31mfailed\u001B[0m\n\u001B]0;title\u0007plain\u0000\u202E text\t1\n\n'), [
    'failed',
    'plain text\t1',
  ]);
});

test('of a progress bar only the last text remains', () => {
  assert.deepEqual(plainLines('10 %\r55 %\r100 %\nwindows line\r\n  0 %\r 99 %\r'), ['100 %', 'windows line', ' 99 %']);
});

test('a long line is cut, an endless escape sequence hides nothing after its line', () => {
  assert.equal(plainLines('x'.repeat(10_000))[0]?.length, 400);
  assert.deepEqual(plainLines(`\u001B]0;never ended\nnext`), []);
  assert.deepEqual(plainLines(''), []);
});

test('the tail of a text begins with a whole line', () => {
  assert.equal(tailOf('one\ntwo\nthree', 8), 'three');
  assert.equal(tailOf('one\ntwo', 80), 'one\ntwo');
});
