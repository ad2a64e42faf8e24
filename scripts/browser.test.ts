import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { chromium } from '@playwright/test';
import { findBrowser } from './browser.ts';

test('CHROMIUM_PATH is taken before anything else', () => {
  assert.deepEqual(findBrowser({ CHROMIUM_PATH: process.execPath }), { kind: 'CHROMIUM_PATH', path: process.execPath });
});

test('a CHROMIUM_PATH that is no program is refused by name instead of passed over', () => {
  assert.throws(() => findBrowser({ CHROMIUM_PATH: '/no/such/chrome' }), /CHROMIUM_PATH=\/no\/such\/chrome/);
});

test('where a browser that only shows pages will do, it is taken before the whole one, which does as well', () => {
  // Playwright's own is both in one, and comes first.
  if (existsSync(chromium.executablePath())) return;
  const folder = mkdtempSync(join(tmpdir(), 'muster-browser-'));
  const put = (name: string) => writeFileSync(join(folder, name), '#!/bin/sh\n', { mode: 0o755 });
  const found = (light: boolean) => findBrowser({ PATH: folder }, { light })?.path;
  try {
    put('chromium');
    assert.equal(found(true), join(folder, 'chromium'));
    put('chromium-headless-shell');
    assert.equal(found(true), join(folder, 'chromium-headless-shell'));
    assert.equal(found(false), join(folder, 'chromium'));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
