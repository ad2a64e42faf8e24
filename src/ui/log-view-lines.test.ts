import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LONGEST_ROW, indexLines, rowAt, rowText, screenLines } from '#/ui/log-view-lines.ts';
import type { LineIndex } from '#/ui/log-view-lines.ts';

const rowsOf = (index: LineIndex) =>
  Array.from({ length: index.rows }, (_, row) => [index.numbers[row], rowText(index, row)]);

test('each line is a row; a newline at the end begins no other', () => {
  assert.deepEqual(rowsOf(indexLines('')), []);
  assert.deepEqual(rowsOf(indexLines('one')), [[1, 'one']]);
  assert.deepEqual(rowsOf(indexLines('one\n\nthree\n')), [
    [1, 'one'],
    [2, ''],
    [3, 'three'],
  ]);
  assert.deepEqual(rowsOf(indexLines('\n')), [[1, '']]);
});

test('a Windows line end is no content; a lone carriage return begins another row of the same line', () => {
  assert.deepEqual(rowsOf(indexLines('a\r\nb\r\n')), [
    [1, 'a'],
    [2, 'b'],
  ]);
  assert.deepEqual(rowsOf(indexLines('1%\r2%\r3%\nend')), [
    [1, '1%\r'],
    [0, '2%\r'],
    [0, '3%'],
    [2, 'end'],
  ]);
  assert.deepEqual(rowsOf(indexLines('a\r\r\nb')), [
    [1, 'a\r'],
    [0, ''],
    [2, 'b'],
  ]);
});

test('an overlong line is broken, but never within a surrogate pair', () => {
  const long = 'x'.repeat(2 * LONGEST_ROW + 5);
  assert.deepEqual(
    rowsOf(indexLines(`${long}\nend`)).map(([number, row]) => [number, String(row).length]),
    [
      [1, LONGEST_ROW],
      [0, LONGEST_ROW],
      [0, 5],
      [2, 3],
    ],
  );
  const pairs = `x${'😀'.repeat(LONGEST_ROW)}`;
  const rows = rowsOf(indexLines(pairs)).map(([, row]) => String(row));
  assert.equal(rows.join(''), pairs);
  assert.ok(rows.every((row) => row.isWellFormed()));
});

test('grown at the end in any portions, the index is that of the whole', () => {
  const whole = `first\r\nsec${'o'.repeat(LONGEST_ROW * 2)}nd\n\n10%\r20%\r30%\nlast without end`;
  for (const step of [1, 3, 7, 1000]) {
    let index = indexLines('');
    for (let end = 0; end <= whole.length + step; end += step) index = indexLines(whole.slice(0, end), index);
    assert.deepEqual(rowsOf(index), rowsOf(indexLines(whole)), `in portions of ${step}`);
    assert.equal(index.lines, 5);
  }
});

test('a text that does not go on from the old one is read anew', () => {
  assert.deepEqual(rowsOf(indexLines('other\ntext', indexLines('one\ntwo\nthree'))), [
    [1, 'other'],
    [2, 'text'],
  ]);
});

test('tells how many lines of a screen a row takes', () => {
  const index = indexLines(`${'x'.repeat(80)}\n\n${'x'.repeat(81)}`);
  assert.deepEqual(
    [0, 1, 2].map((row) => screenLines(index, row, 80)),
    [1, 1, 2],
  );
  assert.deepEqual(
    [0, 1, 2].map((row) => screenLines(index, row, 0)),
    [1, 1, 1],
  );
});

test('finds the row of an offset', () => {
  const index = indexLines('ab\ncd\n\nef');
  assert.deepEqual(
    [0, 2, 3, 5, 6, 7, 8, 99].map((offset) => rowAt(index, offset)),
    [0, 0, 1, 1, 2, 3, 3, 3],
  );
});
