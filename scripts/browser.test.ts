import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findBrowser } from './browser.ts';

test('CHROMIUM_PATH is taken before anything else', () => {
  assert.deepEqual(findBrowser({ CHROMIUM_PATH: process.execPath }), { kind: 'CHROMIUM_PATH', path: process.execPath });
});

test('a CHROMIUM_PATH that is no program is refused by name instead of passed over', () => {
  assert.throws(() => findBrowser({ CHROMIUM_PATH: '/no/such/chrome' }), /CHROMIUM_PATH=\/no\/such\/chrome/);
});
