// Names that differ only at their ends, in less room than they need.
import type { Locator, Page } from '@playwright/test';
import { expect, test, type Service } from './fixtures.ts';
import { submit } from './job-sandbox.ts';

const HEAD = 'warehouse-of-berlin-north-hall-seven-conveyor-left-scale-sensor';
const NAMES = ['017', '018', '019'].map((end) => `${HEAD}-${end}`);

async function fill(service: Service): Promise<string> {
  const ArtifactId = await service.uploadScript('collect.sh', '#!/bin/sh\nexit 0\n', '/tmp');
  for (const name of NAMES) await service.createDevice(name, 'scales');
  return submit(service, { Name: 'Collect', DeviceGroup: 'scales', ArtifactId });
}

/** The end of what is seen: the letters whose boxes are within the box that cuts them off. */
const seenIn = (name: Locator) =>
  name.evaluate((element) => {
    const { left, right, top, bottom } = (element.closest('td') ?? element).getBoundingClientRect();
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    let seen = '';
    for (let node = texts.nextNode(); node instanceof Text; node = texts.nextNode())
      for (let at = 0; at < node.length; at++) {
        const letter = new Range();
        letter.setStart(node, at);
        letter.setEnd(node, at + 1);
        const box = letter.getBoundingClientRect();
        const isWithin = box.left >= left && box.right <= right && box.top >= top - 1 && box.bottom <= bottom + 1;
        if (box.width > 0 && isWithin) seen += node.data[at];
      }
    return seen;
  });

/** What the clipboard gets when these are selected by hand. */
const copied = async (page: Page, name: Locator) => {
  await name.evaluate((element) => getSelection()?.selectAllChildren(element));
  return page.evaluate(() => getSelection()?.toString());
};

test('names that begin alike are told apart, and copied whole', async ({ signedIn: page, service }) => {
  const job = await fill(service);
  for (const [at, table] of [
    ['/devices', 'Devices'],
    [`/jobs/${job}`, 'Devices of this job'],
    ['/queues', 'Queues'],
  ] as const) {
    await page.setViewportSize({ width: 1360, height: 844 });
    await page.goto(service.url + at);
    for (const width of [1360, 390])
      await test.step(`${at} at ${width} pixels`, async () => {
        await page.setViewportSize({ width, height: 844 });
        for (const whole of NAMES) {
          const link = page.getByRole('table', { name: table }).getByRole('link', { name: whole, exact: true });
          await expect.poll(() => seenIn(link)).toMatch(new RegExp(`^warehouse.*${whole.slice(-5)}$`));
          expect(await copied(page, link)).toBe(whole);
        }
      });
  }
});

test('a name is cut to a column that gets wider and narrower @sweep', async ({ signedIn: page, service }) => {
  await fill(service);
  await page.setViewportSize({ width: 1000, height: 844 });
  await page.goto(`${service.url}/devices`);
  const [whole = ''] = NAMES;
  const link = page.getByRole('link', { name: whole, exact: true });
  const length = async () => (await seenIn(link)).length;
  await expect.poll(length).toBeLessThan(whole.length);
  await page.setViewportSize({ width: 1500, height: 844 });
  await expect.poll(length).toBeGreaterThan(40);
  await page.setViewportSize({ width: 1000, height: 844 });
  await expect.poll(length).toBeLessThan(40);
  await expect(link.getByTitle(whole)).toBeVisible();
});
