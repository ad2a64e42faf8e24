// What has been drawn stays in its place while the rest of a page loads, so that a click meets what it was meant for.
import type { Page } from '@playwright/test';
import { expect, slowDown, test, type Service } from './fixtures.ts';
import { fleet, rollOut } from './rolled-out.ts';

/** How many times slower than this machine the browser is made, so that each answer is drawn by itself. */
const SLOWER = 2;
/** The share of the window that moves times how far, in shares of it; 0.1 is what browsers call good. */
const MOST = 0.02;

interface LayoutShift extends PerformanceEntry {
  value: number;
  sources: { node?: Node; previousRect: DOMRect; currentRect: DOMRect }[];
}

interface Shift {
  value: number;
  what: string[];
}

/** Writes down what moves in each document from here on. */
async function watchShifts(page: Page): Promise<() => Promise<{ sum: number; moved: string[] }>> {
  await slowDown(page, SLOWER);
  await page.addInitScript(() => {
    const shifts: Shift[] = [];
    Object.assign(globalThis, { shifts });
    new PerformanceObserver((list) => {
      for (const { value, sources } of list.getEntries() as LayoutShift[])
        shifts.push({
          value,
          what: sources.map(
            ({ node, previousRect: from, currentRect: to }) =>
              `“${node?.textContent?.slice(0, 60)}” from ${from.x},${from.y} to ${to.x},${to.y}`,
          ),
        });
    }).observe({ type: 'layout-shift', buffered: true });
  });
  return async () => {
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(page.locator('[data-reading], main[aria-busy="true"], main [aria-busy="true"]')).toHaveCount(0);
    const shifts = await page.evaluate(async () => {
      for (let frame = 0; frame < 3; frame += 1) await new Promise((next) => requestAnimationFrame(next));
      return (globalThis as unknown as { shifts: Shift[] }).shifts;
    });
    return { sum: shifts.reduce((sum, { value }) => sum + value, 0), moved: shifts.flatMap(({ what }) => what) };
  };
}

/** Devices that are Online and that are not, a job that failed on one, a rollout that is paused, and what fires for it. */
async function fill(service: Service): Promise<string[]> {
  const hall = await fleet(service, 4, 2);
  const [unit] = hall.units;
  const folder = await service.folder('jobs');
  const ArtifactId = await service.uploadScript('fail.sh', '#!/bin/sh\nexit 3\n', folder);
  const job = await service.call<{ JobId: string }>('POST', '/v1/job', {
    Name: 'Fails',
    DeviceGroup: 'hall',
    ArtifactId,
  });
  const rollout = await rollOut(service, { ...hall, ArtifactId });
  await service.locate(unit?.DeviceId ?? '', 52.5, 13.4);
  return [
    '/',
    '/devices',
    '/devices?group=hall',
    `/devices/${unit?.DeviceId}`,
    '/map',
    '/map?group=hall',
    '/artifacts',
    `/deploy?group=hall&artifact=${ArtifactId}`,
    '/jobs',
    `/jobs/${job.JobId}`,
    '/queues',
    '/rollouts',
    `/rollouts/${rollout}`,
    '/tunnels',
    '/activity',
    '/activity/alerts',
    '/activity/availability',
    '/settings/people',
    '/settings/tokens',
    '/settings/sessions',
    '/settings/sign-in',
    '/settings/usage',
    '/settings/appearance',
  ];
}

test('nothing that is drawn moves away while the rest of its page loads @sweep', async ({
  signedIn: page,
  service,
}) => {
  const paths = await fill(service);
  const shifts = await watchShifts(page);
  for (const path of paths)
    await test.step(path, async () => {
      await page.goto(service.url + path);
      const { sum, moved } = await shifts();
      expect.soft(sum, `${path}: \n${moved.join('\n')}`).toBeLessThan(MOST);
    });
});
