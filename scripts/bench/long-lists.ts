// Lists that grow long, the queues of all devices and the artifacts: how long the page is blocked when one is opened
// and scrolled.
import { chromium } from '@playwright/test';
import { findBrowser, launchOptions } from '../browser.ts';
import { buildIfStale } from '../dist.ts';
import { answering, serveDist } from './dist-host.ts';
import { sampleDevice } from './sample-fleet.ts';
import type { Row } from './section.ts';
import { LONG, longestTask, opened } from './watched-page.ts';

const QUEUES = 7_500;
const ARTIFACTS = 10_000;
const NOW = Date.UTC(2026, 10, 21);
const timeOf = (days: number) => new Date(NOW - days * 86_400_000).toISOString();

/** Two jobs for each device, of some artifacts. */
const queuedJob = (n: number) => ({
  JobId: `queued-${n}`,
  JobName: `Update ${n % 7}`,
  DeviceId: sampleDevice(n >> 1).DeviceId,
  DeviceName: sampleDevice(n >> 1).DeviceName,
  Command: '',
  StartTime: '',
  EndTime: '',
  Result: '',
  Status: 'Waiting',
  CreatedTime: timeOf(n % 30),
  ArtifactId: `artifact-${n % 50}`,
});

/** Eight versions of each. */
const artifact = (n: number) => ({
  ArtifactId: `artifact-${n}`,
  Name: `app-${n >> 3}_1.${n % 8}.0.tar.gz`,
  Version: `1.${n % 8}.0`,
  Size: 1_000 + n,
  SizeBytes: 1_000 + n,
  IsScript: false,
  Command: 'true',
  CreatedTime: timeOf(n % 300),
  Sha256: String(n).padStart(64, '0'),
});

const listOf = (length: number, row: (n: number) => object) => JSON.stringify(Array.from({ length }, (_, n) => row(n)));

export async function longListRows(): Promise<Row[]> {
  if (!findBrowser()) return [];
  await buildIfStale();
  const host = await serveDist(
    answering({ '/v1/jobs/queues': listOf(2 * QUEUES, queuedJob), '/v1/artifact': listOf(ARTIFACTS, artifact) }),
  );
  const browser = await chromium.launch(launchOptions());
  try {
    const rows: Row[] = [];
    for (const [path, name, many] of [
      ['/queues', 'Queues', `${QUEUES.toLocaleString('en-US')} queues`],
      ['/artifacts', 'Artifacts', `${ARTIFACTS.toLocaleString('en-US')} artifacts`],
    ] as const) {
      const page = await opened(browser, `${host.url}/account`);
      await page.locator('nav[aria-label=Main] a[href="/jobs"]').waitFor();
      // Not by role: finding it among thousands of cells would be the longest task.
      const table = page.locator(`table[aria-label="${name}"]`);
      const opening = await longestTask(browser, page, async () => {
        await page.locator(`nav[aria-label=Main] a[href="${path === '/queues' ? '/jobs' : path}"]`).click();
        if (path === '/queues') await page.locator('a[href="/queues"]').click();
        await table.locator('tbody tr').nth(9).waitFor({ timeout: 60_000 });
      });
      await table.hover();
      const scrolling = await longestTask(browser, page, async () => {
        for (let step = 0; step < 40; step++) await page.mouse.wheel(0, 700);
      });
      rows.push({ what: `${many}, opened, longest task`, figure: opening, against: LONG });
      rows.push({ what: `${many}, scrolled, longest task`, figure: scrolling, against: LONG });
      await page.close();
    }
    return rows;
  } finally {
    await browser.close();
    host.close();
  }
}
