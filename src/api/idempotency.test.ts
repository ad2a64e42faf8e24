import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyedHeaders, noteIdempotency } from './idempotency.ts';

test('a key is sent only where the service offers it', () => {
  const given = { 'idempotency-key': 'k', 'if-match': '"1"' };
  noteIdempotency(false);
  assert.deepEqual(keyedHeaders(given, true), { 'if-match': '"1"' });
  assert.deepEqual(keyedHeaders(undefined, true), {});
  noteIdempotency(true);
  assert.deepEqual(keyedHeaders(given), given);
  assert.match(keyedHeaders({}, true)['idempotency-key'] ?? '', /^[0-9a-f]{32}$/);
  assert.deepEqual(keyedHeaders({}), {});
});
