// What of a browser's storage is this account's, and what it is called.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keptParts, kindOf } from './kept-data.ts';

test('only what is ours, and only of this account', () => {
  assert.equal(kindOf('muster-views:ann@example.com', 'ann@example.com'), 'views');
  assert.equal(kindOf('muster-views:ann@example.com:unreadable', 'ann@example.com'), 'views');
  assert.equal(kindOf('muster-views:bob@example.com', 'ann@example.com'), undefined);
  assert.equal(kindOf('muster-anything-new:ann', 'ann'), 'other');
  assert.equal(kindOf('muster-look', 'ann'), 'look');
  assert.equal(kindOf('elsewhere:ann', 'ann'), undefined);
  assert.equal(kindOf('muster-outcome-rules:a:b', 'a:b'), 'rules');
});

test('sizes as a browser counts them', () => {
  const parts = keptParts(
    [
      ['muster-usage:a', '123456'],
      ['muster-states:a', '12345'],
      ['other', 'x'],
    ],
    'a',
  );
  assert.deepEqual([...parts], [['history', { keys: ['muster-usage:a', 'muster-states:a'], bytes: 80 }]]);
});
