import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plain } from './system-notices.ts';

test('a desktop notification is one short line without hidden characters', () => {
  assert.equal(plain('deploy myapp 2'), 'deploy myapp 2');
  assert.equal(plain('one\nAdministrator:\tsign in '), 'one Administrator: sign in');
  assert.equal(plain('safe\u202Egpj.exe\u0007'), 'safe‹U+202E›gpj.exe‹BEL›');
  const long = plain('x'.repeat(500));
  assert.deepEqual([long.length, long.at(-1)], [120, '…']);
});
