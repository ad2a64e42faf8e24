// Written CSV is read back, and no spreadsheet sees a formula in it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { anyText, holds } from '../../scripts/test-property.ts';
import { csvLine, csvText, listCell, plainCell, readCsv, readListCell } from './csv.ts';

const hostile = fc.oneof(
  anyText(12),
  fc.constantFrom(
    '=1+1',
    "'=1",
    "''@",
    '"',
    '""',
    ',',
    ';',
    '\t',
    '\r',
    '\n',
    '\r\n',
    '\uFEFF',
    ' "a"',
    '-1',
    '-1e5',
    ' ',
    '',
  ),
);
const FORMULA = /^[=+\-@\t\r\n\0＝＋－＠]/;
const NUMBER = /^-?\d+(\.\d+)?$/;

const rows = fc.array(fc.array(hostile, { minLength: 1, maxLength: 5 }), { maxLength: 6 });

test('rows that are not blank survive a round trip', () =>
  holds(
    1500,
    fc.property(rows, (given) => {
      const filled = (all: string[][]) => all.filter((row) => row.some((value) => value.trim() !== ''));
      assert.deepEqual(filled(readCsv(csvText(given)).map(({ cells }) => cells.map(plainCell))), filled(given));
    }),
  ));

test('the values of a cell are read back, also from a file', () =>
  holds(
    1500,
    fc.property(
      fc.array(
        fc.oneof(
          hostile,
          fc.stringMatching(/^[;|\\u0-9a ]{1,6}$/),
          anyText(6).map((text) => `=${text}`),
        ),
        { maxLength: 4 },
      ),
      (given) => {
        const values = [...new Set(given)].filter(Boolean);
        const cell = listCell(values);
        assert.equal(cell, cell.trim());
        assert.doesNotMatch(cell, /[\r\n]/);
        assert.deepEqual(readListCell(cell), values);
        const [row] = readCsv(csvText([['id', cell]]));
        assert.deepEqual(readListCell(plainCell(row?.cells[1] ?? '')), values);
      },
    ),
  ));

test('only a number may begin like a formula', () =>
  holds(
    1500,
    fc.property(
      fc.string({ unit: 'binary', maxLength: 2 }),
      fc.constantFrom(...'=+-@\t\r\n\0＝＋－＠'.split('')),
      hostile,
      (before, first, rest) => {
        for (const value of [first + rest, before + first + rest, rest]) {
          const [shown = ''] = readCsv(csvLine([value, 'x']), ',')[0]?.cells ?? [];
          assert.ok(!FORMULA.test(shown) || NUMBER.test(shown), JSON.stringify(shown));
          assert.equal(plainCell(shown), value);
        }
      },
    ),
  ));

test('with semicolons as separators, no part of a line is a formula unless it is a number', () =>
  holds(
    1500,
    fc.property(fc.array(hostile, { minLength: 1, maxLength: 4 }), (parts) => {
      const inside = csvLine(['x', `x${parts.join(';')}`])
        .slice(0, -2)
        .split(/[;\t\r\n]/)
        .slice(1);
      for (const shown of inside) assert.ok(!FORMULA.test(shown.replace(/^"+/, '')), JSON.stringify(shown));
    }),
  ));

test('any file can be read, and each row begins on one of its lines', () =>
  holds(
    1000,
    fc.property(
      fc.oneof(
        anyText(60),
        fc.array(hostile).map((parts) => parts.join('')),
      ),
      (text) => {
        const lines = text.split(/\r\n|\r|\n/).length;
        let last = 0;
        for (const { line } of readCsv(text)) {
          assert.ok(line > last && line <= lines, `${line} of ${lines}`);
          last = line;
        }
      },
    ),
  ));
