// Ranges according to RFC 9110.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRange } from './byte-range.ts';

const cases: [header: string | undefined, result: ReturnType<typeof readRange>][] = [
  [undefined, undefined],
  ['bytes=0-9', { start: 0, end: 9 }],
  ['bytes=90-', { start: 90, end: 99 }],
  ['bytes=90-500', { start: 90, end: 99 }],
  ['bytes=-10', { start: 90, end: 99 }],
  ['bytes=-500', { start: 0, end: 99 }],
  ['bytes=100-', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=9-0', undefined],
  ['bytes=0-1,5-6', undefined],
  ['lines=0-1', undefined],
  ['bytes=-', undefined],
];
for (const [header, result] of cases)
  test(`${header} of 100 bytes`, () => assert.deepEqual(readRange(header, 100), result));
