import assert from 'node:assert/strict';
import { test } from 'node:test';
import { windowOf } from './use-fixed-rows.ts';

const at = (top: number, count = 10_000) => windowOf(count, () => ({ height: 37, top, sight: 800 }));

test('a short table is drawn whole, and nothing is measured for that', () => {
  const look = () => assert.fail('The page was laid out.');
  for (const count of [0, 60, 120]) {
    const { from, to } = windowOf(count, look);
    assert.deepEqual([from, to], [0, count]);
  }
});

test('every row in view is drawn, wherever the table is scrolled, and never many more rows', () => {
  for (let top = -500; top < 10_000 * 37; top += 271) {
    const { from, to } = at(top);
    assert.ok(to - from <= 50, `${to - from} rows at ${top}`);
    const first = Math.max(0, Math.floor(top / 37));
    const last = Math.min(10_000, Math.max(0, Math.ceil((top + 800) / 37)));
    assert.ok(from <= first && to >= last, `${from}–${to} at ${top}`);
  }
});

test('scrolled past the end, the last rows are drawn', () => {
  const { from, to } = at(99_000_000);
  assert.equal(to, 10_000);
  assert.ok(from < to);
});
