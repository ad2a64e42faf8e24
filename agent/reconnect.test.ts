import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retryAfterMs, spanOf } from './reconnect.ts';

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

test('a pause that the service asks for counts up to five minutes', () => {
  for (const [header, pause] of [
    ['0', 0],
    ['7', 7_000],
    ['300', 300_000],
    ['301', 0],
    ['9'.repeat(400), 0],
    ['-5', 0],
    ['1e2', 0],
    ['Wed, 21 Oct 2076 07:28:00 GMT', 0],
    [undefined, 0],
  ] as const)
    assert.equal(retryAfterMs(header), pause, header);
});
