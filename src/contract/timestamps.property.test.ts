// Printed dates are read back, and invalid ones cause neither an error nor an invalid Date.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { anyText, holds } from '../../scripts/test-property.ts';
import { parseTimestamp, printIsoTime, printJobTime, printSqlTime, printTunnelTime } from './timestamps.ts';

// Four digits of a year, as the formats have them.
const date = fc.date({
  min: new Date('0000-01-01T00:00:00.000Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
});
const SECOND = 1000;
const MINUTE = 60 * SECOND;

test('a printed date is read back at the precision of its format', () =>
  holds(
    1000,
    fc.property(date, (given) => {
      const time = given.getTime();
      const downTo = (unit: number) => Math.floor(time / unit) * unit;
      assert.equal(parseTimestamp(printIsoTime(given))?.getTime(), time);
      assert.equal(parseTimestamp(printJobTime(given))?.getTime(), downTo(SECOND));
      assert.equal(parseTimestamp(printSqlTime(given))?.getTime(), downTo(SECOND));
      assert.equal(parseTimestamp(printTunnelTime(given))?.getTime(), downTo(MINUTE));
    }),
  ));

test('an offset moves a date by exactly that', () =>
  holds(
    500,
    fc.property(date, fc.constantFrom('+', '-'), fc.nat(14), fc.nat(59), (given, sign, hours, minutes) => {
      const two = (value: number) => String(value).padStart(2, '0');
      const shift = (sign === '+' ? 1 : -1) * (hours * 60 + minutes) * MINUTE;
      const text = given.toISOString().replace('Z', `${sign}${two(hours)}:${two(minutes)}`);
      assert.equal(parseTimestamp(text)?.getTime(), given.getTime() - shift);
    }),
  ));

const WORDS =
  '2026|02|30|13|0|99|00|-|:|.|,| |T|Z|Feb|ma|PM|AM|UTC|EST|+|−|+99|GMT+2|2026-02-30T|24:60:60|999999999|\0|Nov 2, 2026, 14:03:09 ';
const word = fc.constantFrom(...WORDS.split('|'));
const nearly = fc.array(word, { maxLength: 12 }).map((words) => words.join(''));

test('anything else is undefined, never an error or an invalid date', () =>
  holds(
    2000,
    fc.property(fc.oneof(anyText(), nearly), (text) => {
      const read = parseTimestamp(text);
      assert.ok(read === undefined || Number.isFinite(read.getTime()));
    }),
  ));
