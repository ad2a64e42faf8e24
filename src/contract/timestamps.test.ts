// The date formats of v1.md, both ways, and what must not be guessed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTimestamp, printIsoTime, printJobTime, printSqlTime, printTunnelTime } from '#/contract/timestamps.ts';

const moment = new Date('2026-11-02T14:03:09.250Z');
const read = (text: string) => parseTimestamp(text)?.toISOString();

test('each format is printed as documented', () => {
  assert.equal(printJobTime(moment), 'Nov 2, 2026, 14:03:09 UTC');
  assert.equal(printSqlTime(moment), '2026-11-02 14:03:09');
  assert.equal(printIsoTime(moment), '2026-11-02T14:03:09.250+00:00');
  assert.equal(printTunnelTime(moment), 'Nov 2 2026 2:03 PM');
});

test('a printed time reads back as the same moment, at the precision of its format', () => {
  for (const text of [
    '0001-01-01T00:00:00.001Z',
    '1999-12-31T23:59:59.999Z',
    '2024-02-29T12:00:00.500Z',
    '9999-12-31T00:30:00.000Z',
  ]) {
    const date = new Date(text);
    assert.equal(read(printIsoTime(date)), text);
    const toTheSecond = `${text.slice(0, 19)}.000Z`;
    assert.equal(read(printJobTime(date)), toTheSecond);
    assert.equal(read(printSqlTime(date)), toTheSecond);
    assert.equal(read(printTunnelTime(date)), `${text.slice(0, 16)}:00.000Z`);
  }
});

test('midnight and noon on a twelve-hour clock', () => {
  assert.equal(read('Nov 2 2026 12:00 AM'), '2026-11-02T00:00:00.000Z');
  assert.equal(read('Nov 2 2026 12:59 AM'), '2026-11-02T00:59:00.000Z');
  assert.equal(read('Nov 2 2026 12:00 PM'), '2026-11-02T12:00:00.000Z');
  assert.equal(read('Nov 2 2026 1:05 pm'), '2026-11-02T13:05:00.000Z');
  assert.equal(printTunnelTime(new Date('2026-11-02T00:05:00Z')), 'Nov 2 2026 12:05 AM');
  assert.equal(printTunnelTime(new Date('2026-11-02T12:05:00Z')), 'Nov 2 2026 12:05 PM');
  assert.equal(read('Nov 2 2026 0:05 AM'), undefined);
  assert.equal(read('Nov 2 2026 13:05 PM'), undefined);
});

test('zones by abbreviation and by offset', () => {
  const hourOf: Record<string, string> = {
    UTC: '14:03',
    GMT: '14:03',
    Z: '14:03',
    EST: '19:03',
    EDT: '18:03',
    CST: '20:03',
    PDT: '21:03',
    AKST: '23:03',
    BST: '13:03',
    CET: '13:03',
    CEST: '12:03',
    EEST: '11:03',
    MSK: '11:03',
    IST: '08:33',
    PKT: '09:03',
    JST: '05:03',
    HKT: '06:03',
    SGT: '06:03',
    KST: '05:03',
    ACST: '04:33',
    AEDT: '03:03',
    NZDT: '01:03',
    SAST: '12:03',
    BRT: '17:03',
    '+0530': '08:33',
    '-03': '17:03',
    '+05:45': '08:18',
    'GMT+2': '12:03',
    'UTC-03:00': '17:03',
    'GMT−3': '17:03',
    est: '19:03',
  };
  for (const [zone, hour] of Object.entries(hourOf))
    assert.equal(read(`Nov 2, 2026, 14:03:09 ${zone}`), `2026-11-02T${hour}:09.000Z`, zone);
  assert.equal(read('Dec 31, 2026, 23:30:00 EST'), '2027-01-01T04:30:00.000Z');
  assert.equal(read('Jan 1, 2027, 05:00:00 NZDT'), '2026-12-31T16:00:00.000Z');
});

test('ISO dates with the precision and offsets of other services', () => {
  assert.equal(read('2026-11-02T14:03:09.123456789+05:30'), '2026-11-02T08:33:09.123Z');
  assert.equal(read('2026-11-02T14:03:09Z'), '2026-11-02T14:03:09.000Z');
  assert.equal(read('2026-11-02 14:03:09.5 +0000 UTC'), '2026-11-02T14:03:09.500Z');
  assert.equal(read('2026-11-02T14:03:09.9999-00:30'), '2026-11-02T14:33:09.999Z');
  assert.equal(read('2026-11-02 14:03:09'), '2026-11-02T14:03:09.000Z');
});

test('other kinds of spaces and long month names are read', () => {
  assert.equal(read('  Nov 2 2026 2:03\u202fPM '), '2026-11-02T14:03:00.000Z');
  assert.equal(read('November 2, 2026, 14:03:09 UTC'), '2026-11-02T14:03:09.000Z');
  assert.equal(read('Sept 2, 2026, 4:03:09 UTC'), '2026-09-02T04:03:09.000Z');
});

test('dates that do not exist are unreadable', () => {
  for (const text of [
    'Feb 29, 2026, 14:03:09 UTC',
    '2100-02-29 00:00:00',
    '2026-13-01 00:00:00',
    '2026-00-01 00:00:00',
    '2026-04-31 00:00:00',
    '2026-04-00 00:00:00',
    '2026-04-01 24:00:00',
    '2026-04-01 10:60:00',
    '2026-04-01 10:00:60',
    'Nov 0 2026 2:03 PM',
  ])
    assert.equal(read(text), undefined, text);
  assert.equal(read('2000-02-29 00:00:00'), '2000-02-29T00:00:00.000Z');
});

test('ambiguous dates are not guessed', () => {
  for (const text of [
    '',
    'N/A',
    'now',
    'Nov 2, 2026, 14:03:09',
    'Nov 2, 2026, 14:03:09 XYZ',
    'Nov 2, 2026, 14:03:09 +9900',
    'Nov 2, 2026, 14:03:09 constructor',
    'Nop 2, 2026, 14:03:09 UTC',
    'Nov 2 26 2:03 PM',
    '2026-11-02',
    '02/11/2026 14:03',
    '2026-11-02T14:03:09 +05:30 and more',
    '1793628189',
  ])
    assert.equal(read(text), undefined, text);
});
