// Lists on narrow screens: names are whole, and no column is squeezed to a few letters.
import type { Page } from '@playwright/test';
import { expect, test, type Service } from './fixtures.ts';
import { submit } from './job-sandbox.ts';

const GROUP = 'cameras-of-the-harbour';

/** Texts of the page's tables that their boxes cut off. */
const cutIn = (page: Page) =>
  page.evaluate(() =>
    Array.from(document.querySelectorAll('#main :is(tbody *, [role="radiogroup"])'))
      .filter((box) => {
        const { overflowX, visibility } = getComputedStyle(box);
        const isCut = overflowX !== 'visible' && box.scrollWidth > box.clientWidth + 1;
        return isCut && visibility === 'visible' && box.clientWidth > 1 && !box.matches('code, .mono, [data-check]');
      })
      .map(({ textContent }) => textContent),
  );

async function fill(service: Service): Promise<string> {
  const ArtifactId = await service.uploadScript('update-the-firmware.sh', '#!/bin/sh\nexit 3\n', '/tmp');
  await service.uploadScript('update-the-firmware.sh', '#!/bin/sh\nexit 4\n', '/tmp', '2.0.0');
  const { DeviceId, DeviceKey } = await service.createDevice('camera-san-francisco-074', GROUP);
  await service.createDevice('gateway-bengaluru-north-005', GROUP);
  await service.agent(DeviceKey);
  await service.call('POST', '/v1/workflow', { Name: 'Restart the collector and report its state', Command: 'true' });
  await submit(service, { Name: 'Restart the data collector', DeviceId, ArtifactId });
  await service.call('PUT', '/v1/orders/Every camera has the collector', { DeviceGroup: 'later', ArtifactId });
  return submit(service, { Name: 'Firmware 2.3.0 for the cameras', DeviceGroup: GROUP, ArtifactId });
}

for (const width of [320, 390, 768])
  test(`names are whole in the lists at ${width} pixels @sweep`, async ({ signedIn: page, service }) => {
    const parent = await fill(service);
    await page.setViewportSize({ width, height: 844 });
    for (const at of [
      '/jobs',
      '/rollouts/orders',
      '/queues',
      '/artifacts',
      '/workflows',
      `/jobs/${parent}`,
      '/activity',
      '/deploy',
    ]) {
      await page.goto(service.url + at);
      if (at !== '/deploy') await expect(page.getByRole('main').locator('tbody tr').first()).toBeVisible();
      await expect.poll(() => cutIn(page), at).toEqual([]);
    }
  });
