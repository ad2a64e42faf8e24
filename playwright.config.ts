// The end-to-end tests. There is no shared server: each worker starts a real service of its own (e2e/fixtures.ts).
import { defineConfig } from '@playwright/test';
import { launchOptions } from './scripts/browser.ts';

export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  forbidOnly: true,
  retries: 0, // a test that passes the second time hides a fault
  workers: 2,
  fullyParallel: true, // each test has a service of its own
  timeout: 180_000, // the longest take 15 s alone, and 60 s on a machine with five times as much to do
  // Agents dial again after up to 8 s, and pages read again every few seconds: one after the other on a busy machine.
  expect: { timeout: 30_000 },
  // scripts/test.ts counts from the JSON file; people read the list.
  reporter: [['list'], ['json', { outputFile: process.env['PLAYWRIGHT_JSON_OUTPUT_NAME'] ?? 'test-results/e2e.json' }]],
  use: {
    browserName: 'chromium',
    launchOptions: launchOptions({ light: true }),
    actionTimeout: 30_000,
    // What is judged or clicked is there at once, and no colour is caught on its way. The tests by keyboard have motion.
    contextOptions: { reducedMotion: 'reduce' },
    trace: 'off', // recording takes as long again as the tests; `npm test -- e2e/x.spec.ts --trace on` when one is needed
    screenshot: 'only-on-failure',
  },
});
