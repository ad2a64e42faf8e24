import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeText } from './change-text.ts';

test('a change is a difference in words', () => {
  assert.equal(changeText(5, 2, String), 'up 3 since yesterday');
  assert.equal(changeText(1, 2, String), 'down 1 since yesterday');
  assert.equal(changeText(2, 2, String), 'same as yesterday');
});
