import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripStretches } from './strip-stretches.ts';

test('steps with the same share are one stretch, and unknown time is a gap', () => {
  assert.deepEqual(stripStretches([-1, -1, 100, 40, 40], { from: 100, to: 200 }), [
    { from: 100, to: 140, share: undefined },
    { from: 140, to: 160, share: 1 },
    { from: 160, to: 200, share: 0.4 },
  ]);
});
