import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spanOf } from './reconnect.ts';

const spans = (spreadMs: number, failingForMs = 0) =>
  [0, 1, 2, 3, 4, 5, 50].map((tries) => spanOf({ tries, failingForMs, spreadMs }));

test('without a word from the service the span doubles from half a second', () => {
  assert.deepEqual(spans(0), [500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
  assert.deepEqual(spans(0, 600_000).slice(-2), [16_000, 60_000]);
});

test('a large fleet is spread over the span that the service names', () => {
  assert.deepEqual(spans(5_000), [5_000, 8_000, 8_000, 8_000, 8_000, 8_000, 8_000]);
  assert.deepEqual(spans(30_000), Array(7).fill(30_000));
});

test('no service keeps an agent away for longer than a minute', () => {
  assert.deepEqual(spans(10 ** 9), Array(7).fill(60_000));
});
