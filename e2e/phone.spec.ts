// A technician in the field with a phone: finds the device, sees what it did last, sets its location, and opens its
// tunnel. Then every page and the dialogs on the way: nothing scrolls sideways, and what is tapped is large enough.
import AxeBuilder from '@axe-core/playwright';
import type { Locator, Page } from '@playwright/test';
import { DeviceWeb } from './behind-tunnels.ts';
import { expect, expectAccessible, test, type Service } from './fixtures.ts';
import { lineLink, steps } from './job-log.ts';
import { devices, fleet, rollOut } from './rolled-out.ts';
import { script, statusOf, submit, jobSandbox } from './job-sandbox.ts';

test.use({
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  isMobile: true,
  hasTouch: true,
  permissions: ['geolocation'],
  geolocation: { latitude: 52.5200066, longitude: 13.404954, accuracy: 7 },
});

/** Of WCAG 2.2: 2.5.8, 24 by 24 pixels, or as much room around. */
async function expectFits(page: Page, name: string): Promise<void> {
  await test.step(`${name} fits`, async () => {
    const wide = () =>
      page.evaluate(() =>
        ['html', '#main', '[role="dialog"]']
          .flatMap((place) =>
            Array.from(document.querySelectorAll(place), ({ scrollWidth, clientWidth }) => ({
              place,
              over: scrollWidth - clientWidth,
            })),
          )
          .filter(({ over }) => over > 0),
      );
    await expect.poll(wide, 'scrolls sideways').toEqual([]);
    const { violations } = await new AxeBuilder({ page }).setLegacyMode().withRules(['target-size']).analyze();
    const small = violations.flatMap(({ nodes }) => nodes.map(({ target, html }) => `${target.join(' ')}: ${html}`));
    expect.soft(small, 'too small for a finger').toEqual([]);
  });
}

const heading = (page: Page) => page.getByRole('heading', { level: 1 });

/** Longer than a line of the screen. */
const WORDS = Array.from({ length: 30 }, (_, at) => `word${at}`).join(' ');

/** Seven pumps, of which one is Online and has failed its job. */
async function fill(service: Service) {
  const pump = await service.createDevice('pump north 7', 'pumps');
  for (let number = 1; number <= 6; number += 1) await service.createDevice(`pump south ${number}`, 'pumps');
  await service.agent(pump.DeviceKey);
  const sandbox = await jobSandbox(service);
  const ArtifactId = await script(
    service,
    sandbox,
    'check.sh',
    'echo "3x9 != 28, pressure is low"',
    `echo "${WORDS}"`,
    'exit 4',
  );
  const job = await submit(service, { Name: 'Check the pressure', DeviceId: pump.DeviceId, ArtifactId });
  await submit(service, { Name: 'Check all', DeviceGroup: 'pumps', ArtifactId });
  await expect.poll(() => statusOf(service, job)).toBe('Failed');
  return { device: `/devices/${pump.DeviceId}`, job, ArtifactId };
}

test('sign in, and find a device by a part of its name @main', async ({ page, service }) => {
  await fill(service);
  await page.goto(`${service.url}/devices`);
  await page.getByLabel('API token').fill(service.token);
  await page.getByRole('button', { name: 'Sign in' }).tap();
  await expect(heading(page)).toHaveText('Devices');
  const rows = page.getByRole('table', { name: 'Devices' }).getByRole('link');
  await expect(rows).toHaveCount(7);
  await page.getByLabel('Search devices by name or ID').fill('north');
  await expect(rows).toHaveCount(1);
  await expectFits(page, 'the table');
  await rows.tap();
  await expect(heading(page)).toHaveText(/^pump north 7\s*Online$/);
});

test('see the last job of a device and what it printed, in lines that break between words', async ({
  signedIn: page,
  service,
}) => {
  const { device } = await fill(service);
  await page.goto(service.url + device);
  const jobs = page.getByRole('table', { name: 'Jobs of this device' });
  await expect(jobs).toBeInViewport();
  await expect(jobs.getByRole('row', { name: 'Check the pressure' })).toContainText('Failed');
  await jobs.getByRole('link', { name: 'Check the pressure' }).tap();
  const log = page.getByRole('region', { name: 'Output of pump north 7, text' });
  await expect(log).toContainText('3x9 != 28, pressure is low');
  // Shown as it was printed: a ligature would make one sign of "!=", and of "3x9" a product.
  await expect(log).toHaveCSS('font-feature-settings', '"calt" 0');
  await expect(heading(page)).toHaveCSS('font-feature-settings', '"calt" 0');
  await expectFits(page, 'the log');
  // A word on two lines has two boxes.
  const broken = await log.getByText(WORDS).evaluate((line) => {
    const text = line.firstChild;
    if (!(text instanceof Text)) throw new Error('the line has one text');
    return Array.from(text.data.matchAll(/\S+/g), ({ 0: word, index }) => {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      return { word, boxes: range.getClientRects().length };
    }).filter(({ boxes }) => boxes > 1);
  });
  expect(broken).toEqual([]);
});

test('the end of a log is in view as soon as its job is opened, and while it grows', async ({
  signedIn: page,
  service,
}) => {
  const { DeviceId, DeviceKey } = await service.createDevice('pump north 7');
  const sandbox = await jobSandbox(service);
  const ArtifactId = await script(service, sandbox, 'long.sh', steps(1, 300), sandbox.gate('go'), steps(301, 600));
  await service.agent(DeviceKey);
  const job = await submit(service, { Name: 'A long one', DeviceId, ArtifactId });
  await page.goto(`${service.url}/jobs/${job}`);
  await expect(lineLink(page, 300)).toBeInViewport({ ratio: 1 });
  await sandbox.open('go');
  await expect(heading(page)).toContainText('Succeeded');
  await expect(lineLink(page, 600)).toBeInViewport({ ratio: 1 });
  await expect(page.getByText('Job ID')).toBeHidden();
  await page.getByRole('button', { name: 'All details' }).tap();
  await expect(page.getByText('Job ID')).toBeVisible();
});

test('set the location of a device from where the phone is', async ({ signedIn: page, service }) => {
  const { DeviceId } = await service.createDevice('pump north 7');
  await page.goto(`${service.url}/devices/${DeviceId}`);
  await page.getByRole('link', { name: 'Set location' }).tap();
  const dialog = page.getByRole('dialog', { name: 'Location of pump north 7' });
  await dialog.getByRole('button', { name: 'Use my current location' }).tap();
  await expect(dialog.getByRole('status').filter({ hasText: 'Accurate to 7 m' })).toBeVisible();
  await expect(dialog.getByLabel('Latitude')).toHaveValue('52.520007');
  await expectFits(page, 'the dialog of the location');
  await dialog.getByRole('button', { name: 'Set location' }).tap();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('region', { name: 'Location' })).toContainText('52.520007, 13.404954');
  expect(await service.call('GET', '/v1/devices/location')).toContainEqual(
    expect.objectContaining({ DeviceId, Lat: 52.520007, Lng: 13.404954 }),
  );
  await expectFits(page, 'the device');
});

test('open the tunnel of a device', async ({ signedIn: page, service, context }) => {
  const web = new DeviceWeb();
  try {
    const { DeviceId, DeviceKey } = await service.createDevice('pump north 7');
    await service.agent(DeviceKey, { args: ['--tunnel', await web.start()] });
    await page.goto(`${service.url}/devices/${DeviceId}`);
    const tunnels = page.getByRole('table', { name: 'Tunnels of this device' });
    const opened = context.waitForEvent('page');
    await tunnels.getByRole('link', { name: /^http:\/\/\S+\.localhost:\d+/ }).tap();
    const tab = await opened;
    await expect(tab.getByLabel('Password')).toBeVisible();
    await tab.close();
  } finally {
    web.stop();
  }
});

test('the most used pages are in reach of a thumb, the others one tap further', async ({ signedIn: page, service }) => {
  await page.goto(service.url);
  const bar = page.getByRole('navigation', { name: 'Most used' });
  for (const name of ['Devices', 'Deploy', 'Jobs', 'Overview']) {
    await bar.getByRole('link', { name }).tap();
    await expect(heading(page)).toHaveText(name);
    await expect(bar.getByRole('link', { name })).toHaveAttribute('aria-current', 'page');
  }
  await bar.getByRole('button', { name: 'Search' }).tap();
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  const more = page.getByRole('navigation', { name: 'Main' });
  for (const name of ['Map', 'Artifacts', 'Rollouts', 'Tunnels', 'Settings']) {
    await bar.getByRole('button', { name: 'More' }).tap();
    await expectFits(page, 'the menu');
    await more.getByRole('link', { name }).tap();
    await expect(heading(page)).toHaveText(name === 'Settings' ? 'People' : name);
    await expect(more).toBeHidden();
  }
});

test('filters are in a sheet; those that are on are counted and stay in view', async ({ signedIn: page, service }) => {
  await fill(service);
  await page.goto(`${service.url}/devices?q=pump`);
  const rows = page.getByRole('table', { name: 'Devices' }).getByRole('link');
  await expect(rows).toHaveCount(7);
  await expect(page.getByRole('button', { name: 'Filter by group' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Filters', exact: true }).tap();
  const sheet = page.getByRole('dialog', { name: 'Filters' });
  await sheet.getByText('Online').tap();
  await expectFits(page, 'the sheet');
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await expectAccessible(page);
  }
  await sheet.getByRole('button', { name: 'Filter by group' }).tap();
  await sheet.getByRole('option', { name: /pumps/ }).tap();
  await sheet.getByRole('button', { name: 'Done' }).tap();
  await expect(sheet).toBeHidden();
  await expect(page.getByRole('button', { name: 'Filters 2 on' })).toBeFocused();
  await expect(rows).toHaveText(['pump north 7']);
  const on = page.getByRole('list', { name: 'Filters in use' });
  await expect(on.getByRole('listitem')).toHaveText([/Group pumps/, /Status Online/]);
  await on.getByRole('button', { name: 'Remove Status Online' }).tap();
  await expect(rows).toHaveCount(7);
  await page.getByRole('button', { name: 'Filters 1 on' }).tap();
  await sheet.getByRole('button', { name: 'Clear all' }).tap();
  await expect(on).toBeHidden();
});

test('the filters of other lists are in the sheet, too', async ({ signedIn: page, service }) => {
  const rollout = await rollOut(service, await fleet(service, 3, 0));
  await fill(service);
  const sheet = page.getByRole('dialog', { name: 'Filters' });
  const chips = page.getByRole('list', { name: 'Filters in use' });
  for (const [path, label, option, value, chip] of [
    ['/jobs', 'State', 'Failed', 'Check the pressure', 'State Failed'],
    ['/queues', 'State', 'Not online', 'pump south 1', 'State Not online'],
    ['/activity', 'Action', 'Devices', 'pump south 1', 'Action Devices'],
  ] as const)
    await test.step(path, async () => {
      await page.goto(service.url + path);
      await page.getByRole('button', { name: 'Filters', exact: true }).tap();
      await sheet.getByLabel(label, { exact: true }).selectOption({ label: option });
      await sheet.getByRole('button', { name: /^Show / }).tap();
      await expect(chips).toHaveText(chip);
      await expect(page.getByRole('main').getByRole('table')).toContainText(value);
    });
  await page.goto(`${service.url}/rollouts/${rollout}`);
  await page.getByRole('button', { name: 'Filters', exact: true }).tap();
  await sheet.getByLabel('Wave', { exact: true }).selectOption('Wave 2');
  await sheet.getByRole('button', { name: /^Show / }).tap();
  await expect(chips).toHaveText('Wave 2');
  await expect(devices(page).getByRole('row')).toHaveCount(3);

  await page.goto(`${service.url}/activity/availability`);
  await page.getByRole('button', { name: 'Filters', exact: true }).tap();
  await sheet.getByText('7 d', { exact: true }).tap();
  await sheet.getByRole('button', { name: /^Show / }).tap();
  await expect(chips).toHaveText('Period 7 d');
  await chips.getByRole('button').tap();
  await expect(chips).toBeHidden();
});

test('no page scrolls sideways, what is tapped is large enough, and a long name takes two lines', async ({
  signedIn: page,
  service,
}) => {
  const { device, job, ArtifactId } = await fill(service);
  for (const [path, seen] of [
    ['/', 'Overview'],
    ['/map', 'State'],
    ['/artifacts', 'check.sh'],
    [`/deploy?group=pumps&artifact=${ArtifactId}`, '1 online'],
    ['/jobs', 'Check the pressure'],
    ['/jobs?name=Check+all', 'Check all'],
    ['/queues', 'pump south 1'],
    ['/archive', 'No job is archived'],
    ['/workflows', 'No workflows'],
    ['/tunnels', 'No tunnels are open'],
    ['/settings/tokens', 'Starts with'],
    ['/devices/add-many', 'Check rows'],
    [`${device}?dialog=edit`, 'Edit pump north 7'],
    [`${device}?dialog=delete`, 'Delete pump north 7?'],
    [`/jobs/${job}?dialog=rules`, 'Outcome rules of check'],
    ['/nowhere', 'There is no page at this address.'],
  ] as const) {
    await page.goto(service.url + path);
    await expect(page.getByText(seen).and(page.locator(':visible')).first()).toBeVisible();
    await expectFits(page, path);
  }

  // In lists and as a title.
  const name = 'camera of the northern harbour, third quay, '.repeat(4).trim();
  const { DeviceId } = await service.createDevice(name);
  const lines = (text: Locator) =>
    text.evaluate((box) => box.getBoundingClientRect().height / Number.parseFloat(getComputedStyle(box).lineHeight));
  await page.goto(`${service.url}/devices`);
  expect(await lines(page.getByRole('table').getByRole('link', { name }).locator('bdi'))).toBeLessThan(2.1);
  await page.goto(`${service.url}/devices/${DeviceId}`);
  expect(await lines(heading(page).locator('bdi').first())).toBeCloseTo(2, 1);
});
