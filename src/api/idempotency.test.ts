import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyedHeaders, noteKeyHours } from './idempotency.ts';

test('a key is sent only where the service has announced that it knows them', () => {
  const given = { 'idempotency-key': 'k', 'if-match': '"1"' };
  for (const hours of [undefined, 0]) {
    noteKeyHours(hours);
    assert.deepEqual(keyedHeaders(given, true), { 'if-match': '"1"' });
    assert.deepEqual(keyedHeaders(undefined, true), {});
  }
  noteKeyHours(24);
  assert.deepEqual(keyedHeaders(given), given);
  assert.match(keyedHeaders({}, true)['idempotency-key'] ?? '', /^[0-9a-f]{32}$/);
  assert.deepEqual(keyedHeaders({}), {});
});
