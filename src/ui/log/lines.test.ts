import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LONGEST_ROW, indexLines, lineOf, rowAt, rowOfLine, rowText, screenLines, type LineIndex } from './lines.ts';

const rowsOf = (index: LineIndex) =>
  Array.from({ length: index.rows }, (_, row) => [index.numbers[row], rowText(index, row)]);

test('each line is a row; a newline at the end does not start another', () => {
  assert.deepEqual(rowsOf(indexLines([])), []);
  assert.deepEqual(rowsOf(indexLines(['one'])), [[1, 'one']]);
  assert.deepEqual(rowsOf(indexLines(['one\n\nthree\n'])), [
    [1, 'one'],
    [2, ''],
    [3, 'three'],
  ]);
  assert.deepEqual(rowsOf(indexLines(['\n'])), [[1, '']]);
});

test('a Windows line end is not content; a rewritten line shows its last state, or all of them', () => {
  assert.deepEqual(rowsOf(indexLines(['a\r\nb\r\n'])), [
    [1, 'a'],
    [2, 'b'],
  ]);
  const progress = ['first\n1%\r2%\r', '3%\nend'];
  assert.deepEqual(rowsOf(indexLines(progress)), [
    [1, 'first'],
    [2, '3%'],
    [3, 'end'],
  ]);
  assert.deepEqual(rowsOf(indexLines(progress, undefined, true)), [
    [1, 'first'],
    [2, '1%\r'],
    [0, '2%\r'],
    [0, '3%'],
    [3, 'end'],
  ]);
  assert.deepEqual(rowsOf(indexLines(['50%\r'])), [[1, '50%']]);
});

test('a line rewritten ten thousand times is one row of its last state', () => {
  const bar = Array.from({ length: 10_000 }, (_, n) => `${n + 1} of 10000`).join('\r');
  assert.deepEqual(rowsOf(indexLines([`a\n${bar}\nb`])), [
    [1, 'a'],
    [2, '10000 of 10000'],
    [3, 'b'],
  ]);
  const long = `wait\r${'x'.repeat(LONGEST_ROW + 1)}`;
  assert.deepEqual(
    rowsOf(indexLines([long])).map(([number, row]) => [number, String(row).length]),
    [
      [1, LONGEST_ROW],
      [0, 1],
    ],
  );
});

test('a very long line is broken, but never within a surrogate pair', () => {
  const long = 'x'.repeat(2 * LONGEST_ROW + 5);
  assert.deepEqual(
    rowsOf(indexLines([`${long}\nend`])).map(([number, row]) => [number, String(row).length]),
    [
      [1, LONGEST_ROW],
      [0, LONGEST_ROW],
      [0, 5],
      [2, 3],
    ],
  );
  const pairs = `x${'😀'.repeat(LONGEST_ROW)}`;
  const rows = rowsOf(indexLines([pairs])).map(([, row]) => String(row));
  assert.equal(rows.join(''), pairs);
  assert.ok(rows.every((row) => row.isWellFormed()));
});

test('a colour code is not broken either', () => {
  const code = '\u001b[1;31m';
  const rows = rowsOf(indexLines([`${'x'.repeat(LONGEST_ROW - 3)}${code}red`])).map(([, row]) => row);
  assert.deepEqual(rows, ['x'.repeat(LONGEST_ROW - 3), `${code}red`]);
});

test('an index that grows in any portions equals that of the full text', () => {
  const sample = (long: number) => `first\r\nsec${'o'.repeat(long)}nd\n\n10%\r20%\r30%\nlast without end`;
  const inPieces = (text: string, size: number) =>
    Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));
  for (const raw of [false, true])
    for (const step of [1, 3, 70, 1000]) {
      const whole = sample(step < 70 ? 5 : LONGEST_ROW * 2);
      let index = indexLines([], undefined, raw);
      for (let end = 0; end <= whole.length + step; end += step)
        index = indexLines(inPieces(whole.slice(0, end), step * 2), index, raw);
      assert.deepEqual(rowsOf(index), rowsOf(indexLines([whole], undefined, raw)), `in portions of ${step}`);
      assert.equal(index.lines, 5);
    }
});

test('a text that does not continue the old one is indexed from the start', () => {
  assert.deepEqual(rowsOf(indexLines(['other\ntext'], indexLines(['one\ntwo\nthree']))), [
    [1, 'other'],
    [2, 'text'],
  ]);
});

test('counts the screen lines of a row', () => {
  const index = indexLines([`${'x'.repeat(80)}\n\n${'x'.repeat(81)}`]);
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
  const index = indexLines(['ab\ncd\n\nef']);
  assert.deepEqual(
    [0, 2, 3, 5, 6, 7, 8, 99].map((offset) => rowAt(index, offset)),
    [0, 0, 1, 1, 2, 3, 3, 3],
  );
});

test('finds the row of a line and the line of a row', () => {
  const index = indexLines([`a\n${'x'.repeat(LONGEST_ROW * 2 + 1)}\nend`]);
  assert.deepEqual(
    [1, 2, 3, 4, 0].map((line) => rowOfLine(index, line)),
    [0, 1, 4, undefined, undefined],
  );
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((row) => lineOf(index, row)),
    [1, 2, 2, 2, 3],
  );
});
