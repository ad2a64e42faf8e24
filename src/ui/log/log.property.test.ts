// Logs: whatever a device prints, in whatever parts it arrives, the same rows are shown, and nothing of it is lost.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { anyText, cut, cuts, holds } from '../../../scripts/test-property.ts';
import { ansiBefore, ansiReader } from './ansi.ts';
import { indexLines, lineOf, LONGEST_ROW, rowAt, rowOfLine, rowText, type LineIndex } from './lines.ts';
import { layOut } from './log-items.ts';
import { logTextOf, sliceOf } from './log-text.ts';
import { overwritten, withoutAnsi } from './overwritten.ts';
import { piecesOf } from './pieces.ts';
import { plainLog } from './plain.ts';
import { withoutEscapes } from '#/contract/without-escapes.ts';

// What follows an escape: colours, erasing, titles, and pieces of those.
const CODES =
  '[31m|[0m|[m|[1;4;38;5;200m|[38;2;1;2;999m|[38m|[48;5m|[K|[1K|[2K|[2J|[||]0;title\u0007|[?25l|[99999999999m';
const code = fc.constantFrom(...CODES.split('|')).map((rest) => `\u001b${rest}`);
const end = fc.constantFrom('\n', '\r\n', '\r', '\n\n', '\r\r\n');
const long = fc.integer({ min: LONGEST_ROW - 4, max: 3 * LONGEST_ROW }).map((length) => '😀x'.repeat(length / 3));
const bytes = fc.uint8Array({ maxLength: 40 }).map((some) => new TextDecoder().decode(some));
const output = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: anyText(15) },
      { weight: 4, arbitrary: code },
      { weight: 4, arbitrary: end },
      { weight: 2, arbitrary: bytes },
      { weight: 1, arbitrary: long },
    ),
    { maxLength: 14 },
  )
  .map((parts) => parts.join(''));

const rowsOf = (index: LineIndex) =>
  Array.from({ length: index.rows }, (_, row) => [
    index.numbers[row],
    index.starts[row],
    index.ends[row],
    rowText(index, row),
  ]);

const plainOf = (index: LineIndex) =>
  [...plainLog(layOut([{ stream: { name: 'stdout', pieces: [...index.text.pieces] }, index }]))].join('');

test('a text has the same rows in any pieces and grown in any steps', () =>
  holds(
    150,
    fc.property(output, cuts(), cuts(6), fc.boolean(), (text, at, steps, raw) => {
      const whole = indexLines([text], undefined, raw);
      assert.deepEqual(rowsOf(indexLines(cut(text, at), undefined, raw)), rowsOf(whole));
      // As the page does it: the pieces that are complete stay, the last one grows.
      let grown = indexLines([], undefined, raw);
      let length = 0;
      for (const part of cut(text, steps)) {
        length += part.length;
        grown = indexLines(
          cut(
            text.slice(0, length),
            at.filter((each) => each < length),
          ),
          grown,
          raw,
        );
      }
      assert.equal(grown.lines, whole.lines);
      assert.deepEqual(rowsOf(grown), rowsOf(whole));
      assert.equal(plainOf(grown), plainOf(whole));
    }),
  ));

test('the rows have every character except line ends, and each line begins where it should', () =>
  holds(
    200,
    fc.property(output, (text) => {
      const index = indexLines([text], undefined, true);
      const lines =
        text === ''
          ? []
          : text
              .replace(/\n$/, '')
              .split('\n')
              .map((line, at, all) => (at < all.length - 1 || text.endsWith('\n') ? line.replace(/\r$/, '') : line));
      const shown: string[] = [];
      for (let row = 0; row < index.rows; row++) {
        const own = rowText(index, row);
        assert.ok(own.length <= LONGEST_ROW + 1);
        if (text.isWellFormed()) assert.ok(own.isWellFormed());
        if (index.numbers[row] !== 0) shown.push(own);
        else shown.push(`${shown.pop() ?? ''}${own}`);
        assert.equal(
          rowOfLine(index, lineOf(index, row)),
          index.numbers[row] === 0 ? rowOfLine(index, lineOf(index, row)) : row,
        );
        const start = index.starts[row] ?? 0;
        if (start < (index.ends[row] ?? 0)) assert.equal(rowAt(index, start), row);
      }
      assert.deepEqual(shown, lines);
    }),
  ));

test('colours never change the words, and do not depend on where reading starts', () =>
  holds(
    200,
    fc.property(output, cuts(4), (text, at) => {
      const index = indexLines(cut(text, at), undefined, true);
      const read = ansiReader();
      for (let row = 0; row < index.rows; row++) {
        const own = rowText(index, row);
        const parts = read(own);
        assert.equal(parts.map((part) => part.text).join(''), withoutAnsi(own));
        assert.doesNotThrow(() => piecesOf(parts, [{ from: 0, to: 2, current: true }]));
        const anew = ansiReader(ansiBefore(index.text, index.starts[row] ?? 0))(own);
        assert.deepEqual(anew, parts);
      }
    }),
  ));

test('any rewritten line can be shown, and any other is shown as it is', () =>
  holds(
    300,
    fc.property(output, (text) => {
      const [line = ''] = text.split('\n');
      const shown = overwritten(line);
      assert.ok(!shown.includes('\r'));
      // oxlint-disable-next-line no-control-regex
      if (!/[\r\u001b]/.test(line)) assert.equal(shown, line);
      assert.equal(withoutAnsi(overwritten(shown)), withoutAnsi(shown));
      assert.ok(withoutEscapes(text).length <= text.length);
    }),
  ));

test('any slice of the pieces equals that of the full text', () =>
  holds(
    300,
    fc.property(anyText(60), cuts(), fc.nat(70), fc.nat(70), (text, at, from, length) =>
      assert.equal(sliceOf(logTextOf(cut(text, at)), from, from + length), text.slice(from, from + length)),
    ),
  ));
