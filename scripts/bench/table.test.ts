// The table's columns and its ratios.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tableOf } from './table.ts';

test('figures stand in columns, with their ratio where they are compared', () => {
  const table = tableOf([
    {
      what: 'fast',
      figure: { value: 9120.4, unit: 'req/s' },
      against: { what: 'bare', figure: { value: 11_400, unit: 'req/s' } },
    },
    { what: 'alone', figure: { value: 1.234, unit: 'ms' } },
  ]);
  assert.deepEqual(table.split('\n'), [
    'measured   figure        compared with   figure         ratio',
    'fast       9,120 req/s   bare            11,400 req/s   0.8',
    'alone      1.23 ms',
  ]);
});
