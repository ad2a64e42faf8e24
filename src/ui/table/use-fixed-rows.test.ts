import assert from 'node:assert/strict';
import { test } from 'node:test';
import { windowOf } from './use-fixed-rows.ts';

const at = (top: number, count = 10_000) => windowOf(count, () => ({ height: 37, top, viewHeight: 800 }));

test('all rows of a short table are rendered without measuring', () => {
  const measure = () => assert.fail('The page was laid out.');
  for (const count of [0, 60, 120]) {
    const { from, to } = windowOf(count, measure);
    assert.deepEqual([from, to], [0, count]);
  }
});

test('every row in view is rendered wherever the table is scrolled, and never many more', () => {
  for (let top = -500; top < 10_000 * 37; top += 271) {
    const { from, to } = at(top);
    assert.ok(to - from <= 50, `${to - from} rows at ${top}`);
    const first = Math.max(0, Math.floor(top / 37));
    const last = Math.min(10_000, Math.max(0, Math.ceil((top + 800) / 37)));
    assert.ok(from <= first && to >= last, `${from}–${to} at ${top}`);
  }
});

test('past the end, the last rows are rendered', () => {
  const { from, to } = at(99_000_000);
  assert.equal(to, 10_000);
  assert.ok(from < to);
});
