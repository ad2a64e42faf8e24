// Many devices at once, changed one after the other in front of a service without bulk work, when something goes wrong:
// failures, a run that is cancelled, a busy service, lost answers.
import {
  bar,
  createMany,
  devicesOf,
  dialog,
  openDevices,
  selectShown,
  setGroup,
  textOf,
  watchPatches,
  withoutBulkWork,
} from './bulk-actions.ts';
import type { Page } from '@playwright/test';
import { expect, test, type Service } from './fixtures.ts';

test.beforeEach(({ page }) => withoutBulkWork(page));

test.describe('when some of them fail', () => {
  test.use({ expectedConsole: [/status of 500/] });

  /** Three of the devices cannot be written until they are repaired. */
  async function failThree(page: Page, service: Service) {
    const failing = new Set((await devicesOf(service)).slice(100, 103).map(({ DeviceId }) => DeviceId));
    let broken = true;
    await page.route('**/v1/devices/*', (route) => {
      const fails = broken && route.request().method() === 'PATCH';
      const problem = { title: 'The disk is full', detail: 'Free some space.' };
      return fails && failing.has(route.request().url().split('/').at(-1) ?? '')
        ? route.fulfill({ status: 500, json: problem })
        : route.continue();
    });
    return { failing, repair: () => (broken = false) };
  }

  /** The three are listed with the reason, and in the file of all results. */
  async function expectFailedListed(page: Page): Promise<void> {
    const results = dialog(page).getByRole('table', { name: 'Results' });
    await dialog(page).getByLabel('Show results').selectOption({ label: 'Failed 3' });
    await expect(results.getByRole('row')).toHaveCount(4);
    await expect(results.getByText('The disk is full (500). Free some space.')).toHaveCount(3);
    const downloading = page.waitForEvent('download');
    await dialog(page).getByRole('button', { name: 'Export results' }).click();
    const lines = (await textOf(await downloading)).split('\r\n');
    expect(lines.length).toBe(302);
    expect(lines[1]).toContain('device 101,Failed,The disk is full (500). Free some space.');
  }

  test('300 devices are changed, and exactly the three that failed are sent again', async ({
    signedIn: page,
    service,
  }) => {
    await createMany(service, 300, (index) => (index < 8 ? 'north' : 'south'));
    const { failing, repair } = await failThree(page, service);
    const sent = watchPatches(page);
    await openDevices(page, service, '?rows=1000');
    await selectShown(page).check();
    await expect(bar(page)).toContainText('300 selected');

    await setGroup(page, 'north');
    const plan = dialog(page).getByRole('region', { name: 'Plan' });
    await expect(plan).toContainText('292 of 300 devices change.');
    await expect(plan).toContainText('8 skipped: has it already.');
    await dialog(page).getByRole('button', { name: 'Set the group of 292 devices' }).click();
    await expect(dialog(page).getByText('289 done, 8 skipped, 3 failed.')).toBeVisible({ timeout: 90_000 });
    expect(sent.length).toBe(292);
    expect(new Set(sent).size).toBe(292);

    await expectFailedListed(page);

    repair();
    await dialog(page).getByRole('button', { name: 'Retry the failed (3)' }).click();
    await expect(dialog(page).getByText('292 done, 8 skipped.')).toBeVisible();
    expect(new Set(sent.slice(292))).toEqual(failing);
    expect(sent.length).toBe(295);
    await dialog(page).getByRole('button', { name: 'Close' }).last().click();
    await expect(dialog(page)).toBeHidden();
    await expect(bar(page)).toContainText('300 selected');
    expect((await devicesOf(service)).every(({ DeviceGroup }) => DeviceGroup === 'north')).toBe(true);
  });
});

test('a run is cancelled in the middle, left only after a question, and continued where it stopped', async ({
  signedIn: page,
  service,
}) => {
  await createMany(service, 20);
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  await page.route('**/v1/devices/*', async (route) => {
    if (route.request().method() === 'PATCH') await gate;
    await route.continue();
  });
  const sent = watchPatches(page);
  await page.goto(service.url);
  await page.getByRole('link', { name: 'Devices', exact: true }).first().click();
  await selectShown(page).check();
  await setGroup(page, 'north');
  await dialog(page).getByRole('button', { name: 'Set the group of 20 devices' }).click();
  await expect(dialog(page).getByText('0 of 20 devices')).toBeVisible();
  await expect.poll(() => sent.length).toBe(1);

  await page.keyboard.press('Escape');
  await expect(dialog(page).getByRole('progressbar', { name: 'Set group' })).toBeVisible();
  await page.goBack();
  const question = page.getByRole('dialog', { name: 'Leave while devices are being changed?' });
  await question.getByRole('button', { name: 'Stay' }).click();
  await expect(question).toBeHidden();

  await dialog(page).getByRole('button', { name: 'Cancel', exact: true }).click();
  await expect(dialog(page).getByRole('button', { name: 'Cancelling…' })).toBeDisabled();
  open();
  await expect(dialog(page).getByText('1 done, 19 not done.')).toBeVisible();
  expect(sent.length).toBe(1);
  await dialog(page).getByRole('button', { name: 'Continue with the 19 not done' }).click();
  await expect(dialog(page).getByText('20 done.')).toBeVisible();
  expect(new Set(sent).size).toBe(20);
  expect(sent.length).toBe(20);
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toBeHidden();
  expect((await devicesOf(service)).every(({ DeviceGroup }) => DeviceGroup === 'north')).toBe(true);
});

test.describe('when the service says "later"', () => {
  test.use({ expectedConsole: [/status of 429/] });

  test('it pauses as long as it was asked to, then sends that one again', async ({ signedIn: page, service }) => {
    await createMany(service, 8);
    let refusals = 0;
    await page.route('**/v1/devices/*', (route) =>
      route.request().method() === 'PATCH' && refusals++ === 0
        ? route.fulfill({ status: 429, headers: { 'retry-after': '60' }, json: { title: 'Too many requests' } })
        : route.continue(),
    );
    const sent = watchPatches(page);
    await page.clock.install();
    await openDevices(page, service);
    await selectShown(page).check();
    await setGroup(page, 'north');
    await dialog(page).getByRole('button', { name: 'Set the group of 8 devices' }).click();
    await expect(dialog(page).getByText('the service asked to wait 60 s')).toBeVisible();
    await expect(dialog(page).getByText('0 of 8 devices')).toBeVisible();
    expect(sent.length).toBe(1);
    await page.clock.fastForward(60_000);
    await expect(dialog(page).getByText('8 done.')).toBeVisible();
    expect(sent.length).toBe(9);
    expect(sent[1]).toBe(sent[0]);
  });
});

test.describe('when an answer is lost', () => {
  test.use({ expectedConsole: [/net::ERR/] });

  test('the run ends there and says so, and a retry sends that one again', async ({ signedIn: page, service }) => {
    await createMany(service, 4);
    const ids = (await devicesOf(service)).map(({ DeviceId }) => DeviceId);
    let isLost = true;
    await page.route('**/v1/devices/*', async (route) => {
      const id = route.request().url().split('/').at(-1);
      if (!isLost || route.request().method() !== 'PATCH' || id !== ids[1]) return route.continue();
      // It is carried out, but nobody hears of it.
      await route.fetch();
      return route.abort();
    });
    const sent = watchPatches(page);
    await openDevices(page, service);
    await selectShown(page).check();
    await setGroup(page, 'north');
    await dialog(page).getByRole('button', { name: 'Set the group of 4 devices' }).click();
    await expect(dialog(page).getByText('1 done, 2 not done, 1 unknown.')).toBeVisible();
    await expect(dialog(page).getByRole('row', { name: /device 2/ })).toContainText('It may have been done.');
    expect(sent).toEqual(ids.slice(0, 2));
    expect((await devicesOf(service)).map(({ DeviceGroup }) => DeviceGroup)).toEqual(['north', 'north', '', '']);
    isLost = false;
    await dialog(page).getByRole('button', { name: 'Retry the failed (1)' }).click();
    await expect(dialog(page).getByText('2 done, 2 not done.')).toBeVisible();
    await dialog(page).getByRole('button', { name: 'Continue with the 2 not done' }).click();
    await expect(dialog(page).getByText('4 done.')).toBeVisible();
    expect(sent).toEqual([ids[0], ids[1], ids[1], ids[2], ids[3]]);
  });
});
