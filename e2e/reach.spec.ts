// What is reached in a low window, with few keys, in the system's colours and on a slow line.
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { createMany, openDevices } from './bulk-actions.ts';
import { fleet, rollOut } from './rolled-out.ts';
import { writeFile } from 'node:fs/promises';

test('at 200 % zoom several rows of the device table are seen @sweep', async ({ signedIn: page, service }) => {
  await createMany(service, 40);
  await page.setViewportSize({ width: 680, height: 400 });
  await openDevices(page, service);
  await expect(page.getByRole('link', { name: 'device 40' })).toBeAttached();
  await page.getByRole('link', { name: 'device 20' }).scrollIntoViewIfNeeded();
  const seen = () =>
    page.getByRole('table', { name: 'Devices' }).evaluate(
      (table) =>
        [...table.querySelectorAll('tbody tr[data-row]')].filter((row) => {
          const { left, top, bottom, width } = row.getBoundingClientRect();
          const at = (y: number) => row.contains(document.elementFromPoint(left + Math.min(width, 300) / 2, y));
          return at(top + 2) && at(bottom - 2);
        }).length,
    );
  await expect.poll(seen).toBeGreaterThanOrEqual(6);
});

test('from the search two keys lead to the first row @sweep', async ({ signedIn: page, service }) => {
  await createMany(service, 3);
  await openDevices(page, service);
  await page.getByLabel('Search devices by name or ID').focus();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Skip to the rows' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('link', { name: 'device 1' })).toBeFocused();
});

test('the head of the table is one stop, whose columns are sorted and resized by arrow keys @sweep', async ({
  signedIn: page,
  service,
}) => {
  await createMany(service, 3);
  await openDevices(page, service);
  const head = page.getByRole('table', { name: 'Devices' });
  const width = page.getByRole('slider', { name: 'Width of Group' });
  await expect(width).toBeAttached();
  await head.getByRole('checkbox').first().focus();
  await page.keyboard.press('Tab');
  await expect(head.getByRole('checkbox', { name: /device/ }).first()).toBeFocused();
  await page.keyboard.press('Shift+Tab');
  const group = head.getByRole('button', { name: 'Group', exact: true });
  const isOnGroup = () => group.evaluate((element) => element === document.activeElement);
  for (let presses = 0; presses < 12 && !(await isOnGroup()); presses += 1) await page.keyboard.press('ArrowRight');
  await expect(group).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(head.getByRole('columnheader', { name: /Group/ })).toHaveAttribute('aria-sort', 'ascending');
  const before = Number(await width.getAttribute('aria-valuenow'));
  await page.keyboard.press('ArrowDown');
  await expect(width).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await expect(width).toHaveAttribute('aria-valuenow', String(before + 16));
  await page.keyboard.press('ArrowUp');
  await expect(group).toBeFocused();
  // Tab leaves the head, and comes back to where it was left.
  await page.keyboard.press('Tab');
  await expect(head.getByRole('checkbox', { name: /device/ }).first()).toBeFocused();
  await page.keyboard.press('Shift+Tab');
  await expect(group).toBeFocused();
});

test('"?" lists the keys of each page @sweep', async ({ signedIn: page, service }) => {
  const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await createMany(service, 1);
  for (const [path, text] of [
    ['/', 'Find anything'],
    ['/devices', 'Select or clear the row'],
    ['/devices', 'Make the column narrower or wider'],
    ['/map', 'Select with a lasso'],
    ['/settings/tokens', 'Show these keys'],
  ] as const) {
    await page.goto(service.url + path);
    await expect(page.getByRole('heading', { level: 1 })).toBeAttached();
    if (path === '/map') await expect(page.getByRole('group', { name: 'Map controls' })).toBeVisible();
    if (path === '/devices') await expect(page.getByRole('table', { name: 'Devices' })).toBeVisible();
    await page.keyboard.press('?');
    await expect(keys).toContainText(text);
    await expect(keys).toContainText('Find anything');
    await page.keyboard.press('Escape');
    await expect(keys).toBeHidden();
  }
});

test('in forced colors the colours that a legend explains and what was Online are drawn @sweep', async ({
  signedIn: page,
  service,
}) => {
  const { DeviceId, DeviceKey } = await service.createDevice('pump', 'hall');
  await service.agent(DeviceKey);
  await page.emulateMedia({ forcedColors: 'active' });
  await page.goto(`${service.url}/map?color=group`);
  const swatch = page.getByRole('list', { name: 'Colours of the groups' }).locator('li > span').first();
  await expect(swatch).toHaveCSS('forced-color-adjust', 'none');
  await page.goto(`${service.url}/devices/${DeviceId}`);
  await expect(page.locator('svg[role="img"]').first()).toHaveCSS('forced-color-adjust', 'none');
});

test('in forced colors the bars of a job that failed are drawn @sweep', async ({ signedIn: page, service }) => {
  const { ArtifactId, broken } = await fleet(service, 1);
  await writeFile(broken, '');
  const draft = { Name: 'Update', DeviceGroup: 'hall', ArtifactId };
  const { JobId } = await service.call<{ JobId: string }>('POST', '/v1/job', draft);
  await page.emulateMedia({ forcedColors: 'active' });
  await page.goto(`${service.url}/jobs/${JobId}`);
  const bar = page.getByRole('region', { name: 'Why it failed' }).locator('[data-state="Failed"]').first();
  await expect(bar).toHaveCSS('forced-color-adjust', 'none');
  await expect(bar.locator('..')).toHaveCSS('outline-style', 'solid');
});

/** What is only a coloured area, such as a part of a bar, and has neither its colour nor a frame in forced colours. */
async function lostIn(page: Page): Promise<string[]> {
  await page.emulateMedia({ forcedColors: 'none' });
  const areas = await page.getByRole('main').evaluateHandle((main) =>
    [...main.querySelectorAll<HTMLElement>(':not(input)')].filter((element) => {
      const { width, height } = element.getBoundingClientRect();
      const { backgroundColor, backgroundImage } = getComputedStyle(element);
      const isFilled = !/^rgba\(.*, 0\)$|^transparent$/.test(backgroundColor) || backgroundImage !== 'none';
      return (
        isFilled && element.textContent === '' && element.checkVisibility() && width >= 2 && height >= 2 && height <= 20
      );
    }),
  );
  await page.emulateMedia({ forcedColors: 'active' });
  return areas.evaluate((elements) =>
    elements
      .filter((element) => {
        const { forcedColorAdjust, borderTopStyle, borderLeftStyle, outlineStyle } = getComputedStyle(element);
        const hasFrame = [borderTopStyle, borderLeftStyle, outlineStyle].some((style) => style !== 'none');
        return element.isConnected && forcedColorAdjust !== 'none' && !hasFrame;
      })
      .map((element) => `${element.localName}.${element.className}`),
  );
}

test('in forced colors no bar, strip, legend or handle disappears @sweep', async ({ signedIn: page, service }) => {
  const made = await fleet(service, 3, 2);
  const { ArtifactId, broken } = made;
  await writeFile(broken, '');
  const draft = { Name: 'Update', DeviceGroup: 'hall', ArtifactId };
  const { JobId } = await service.call<{ JobId: string }>('POST', '/v1/job', draft);
  const rollout = await rollOut(service, made);
  for (const [path, seen] of [
    ['/', 'Jobs a day'],
    [`/rollouts/${rollout}`, 'unit 3'],
    ['/rollouts', 'myapp 2.0.0'],
    ['/artifacts', 'myapp.sh'],
    ['/artifacts/myapp', 'myapp.sh, script'],
    [`/deploy?group=hall&artifact=${ArtifactId}&waves=on`, '2 online'],
    ['/jobs', 'group hall'],
    [`/jobs/${JobId}`, 'When devices ran'],
    ['/activity/availability', 'unit 2'],
    ['/settings/usage', 'Artifact storage'],
  ] as const) {
    await page.goto(service.url + path);
    await expect(page.getByRole('main').getByText(seen).filter({ visible: true }).first(), path).toBeVisible();
    expect.soft(await lostIn(page), path).toEqual([]);
  }
  const handle = page.getByRole('slider', { name: 'End of wave 1' });
  await page.goto(`${service.url}/deploy?group=hall&artifact=${ArtifactId}&waves=on`);
  await expect(handle).toBeVisible();
  expect(await handle.evaluate((element) => getComputedStyle(element, '::before').forcedColorAdjust)).toBe('none');
});

test('the page says that it is loading until its scripts have come @sweep', async ({ signedIn: page, service }) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route('**/assets/*.js', async (route) => {
    await promise;
    await route.continue();
  });
  await page.goto(`${service.url}/devices`, { waitUntil: 'commit' });
  await expect(page.getByRole('main').getByText('Loading…')).toBeVisible();
  resolve();
  await expect(page.getByText('No devices yet')).toBeVisible();
});
