// Every day with it: the palette, requests as curl, what is said when a deployment has ended.
import { execFileSync } from 'node:child_process';
import type { Page } from '@playwright/test';
import { expect, expectAccessible, test } from './fixtures.ts';
import { script, jobSandbox } from './job-sandbox.ts';

test('the palette finds pages, devices, jobs and groups with the keyboard alone', async ({
  signedIn: page,
  service,
}) => {
  const { DeviceId } = await service.createDevice('pump-7', 'pumps');
  await service.createDevice('<b>pump</b> \u202Eeight', 'pumps');
  const ArtifactId = await service.uploadScript('check.sh', '#!/bin/sh\necho fine\n', '/tmp');
  await service.call('POST', '/v1/job', { Name: 'Check the pumps', DeviceGroup: 'pumps', ArtifactId });
  await page.goto(`${service.url}/`);
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();

  const palette = page.getByRole('dialog', { name: 'Command palette' });
  const field = palette.getByRole('combobox');
  const chosen = palette.getByRole('option', { selected: true });
  await page.keyboard.press('Control+k');
  await expect(field).toBeFocused();
  await expectAccessible(page);
  await page.keyboard.type('pump');
  await expect(chosen).toContainText('pump-7');
  await expect(palette.getByRole('option', { name: '<b>pump</b>' })).toBeVisible();
  await expect(palette.getByRole('option', { name: 'Check the pumps' })).toBeVisible();
  await expect(palette.getByRole('option', { name: /^pumps\s*2 devices/ })).toBeVisible();
  await expect(palette.getByRole('option', { name: 'All 2 devices that match' })).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('ArrowDown');
  await expect(chosen).toContainText('<b>pump</b>');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'pump-7' })).toBeVisible();
  await expect(palette).toBeHidden();

  // By its id; what can be done to the device at hand; what was opened of late.
  await page.keyboard.press('Control+k');
  await expect(field).toBeFocused();
  await expect(palette.getByRole('group', { name: 'Recent' }).getByRole('option')).toContainText('pump-7');
  await page.keyboard.type(DeviceId);
  await expect(chosen).toContainText('pump-7');
  await field.fill('location');
  await expect(chosen).toHaveText('Set the location of this device');
  await page.keyboard.press('Enter');
  const location = page.getByRole('dialog', { name: 'Location of pump-7' });
  await expect(location).toBeVisible();
  // A dialog is not left by a slip of the hand.
  await page.keyboard.press('Control+k');
  await expect(palette).toBeHidden();
  await page.keyboard.press('Escape');
  await expect(location).toBeHidden();

  await page.keyboard.press('Control+k');
  await expect(field).toBeFocused();
  await page.keyboard.type('check.sh');
  await expect(palette.getByRole('group', { name: 'Artifacts' })).toContainText('check.sh');
  await page.keyboard.press('Escape');
  await expect(palette).toBeHidden();
});

/** Runs what is shown as a person would: in a shell, with the token in the variable that it names. */
const run = (command: string, token: string) =>
  execFileSync('bash', ['-c', command.replace(/^curl/, 'curl -sS --fail')], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '', TOKEN: token },
  });

test('what a form would send and what a page reads are shown as commands that do the same', async ({
  signedIn: page,
  service,
}) => {
  const { DeviceId } = await service.createDevice('pump-7', 'pumps');
  await page.goto(`${service.url}/devices/${DeviceId}?dialog=edit`);
  const edit = page.getByRole('dialog', { name: 'Edit pump-7' });
  const hostile = `it's $(id) "\u202Ex" \\ !`;
  await edit.getByLabel('Name').fill(hostile);
  await edit.getByRole('button', { name: 'Show as curl' }).click();
  const shown = edit.getByRole('region', { name: `PATCH /v1/devices/${DeviceId} as curl` });
  await expect(shown).toContainText('-X PATCH');
  await expect(shown).toContainText('"Authorization: Bearer $TOKEN"');
  await expectAccessible(page);
  run(await shown.innerText(), service.token);
  await edit.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText("it's $(id)");
  const [device] = await service.call<{ DeviceName: string }[]>(
    'GET',
    `/v1/devices/1/25/filters?device_id=${DeviceId}`,
  );
  expect(device?.DeviceName).toBe(hostile);

  await page.getByRole('button', { name: 'Show as curl' }).click();
  const reads = page.getByRole('dialog', { name: 'What this page reads' });
  const own = reads.getByRole('region', { name: `GET /v1/devices/1/25/filters?device_id=${DeviceId} as curl` });
  expect(JSON.parse(run(await own.innerText(), service.token))).toMatchObject([{ DeviceId, DeviceName: hostile }]);
  await expect(reads).not.toContainText(service.token);
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Show as curl' })).toBeFocused();
});

/** What was shown of notices of the system: a browser without a screen shows none, but makes them all the same. */
const noticesOf = (page: Page) =>
  page.evaluate(() => (window as unknown as { notices: { title: string; body: string }[] }).notices);

test('a job that fails while the tab is hidden is told in its title, by the system, and on the page to who comes back', async ({
  signedIn: page,
  service,
}) => {
  await page.context().grantPermissions(['notifications'], { origin: service.url });
  await page.addInitScript(() => {
    const seen = { notices: [] as { title: string; body: string; real: Notification }[], asked: 0 };
    Object.assign(window, seen);
    const { Notification: Real } = window;
    window.Notification = class extends Real {
      static override requestPermission() {
        (window as unknown as typeof seen).asked += 1;
        return Real.requestPermission();
      }
      constructor(title: string, options: NotificationOptions = {}) {
        super(title, options);
        (window as unknown as typeof seen).notices.push({ title, body: options.body ?? '', real: this });
      }
    };
  });
  const sandbox = await jobSandbox(service);
  const { DeviceId, DeviceKey } = await service.createDevice('pump-7');
  await service.agent(DeviceKey);
  const ArtifactId = await script(service, sandbox, 'pump.sh', sandbox.gate('go'), 'exit 3');
  await service.call('POST', '/v1/job', { Name: 'Update the pump', DeviceId, ArtifactId });
  const see = (state: 'hidden' | 'visible') =>
    page.evaluate((value) => {
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => value });
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    }, state);
  await page.goto(`${service.url}/account`);
  const tell = page.getByRole('checkbox', { name: 'Tell me when a deployment has ended or failed' });
  await expect(tell).not.toBeChecked();
  const asked = () => page.evaluate(() => (window as unknown as { asked: number }).asked);
  // Nobody is asked before a click.
  expect(await asked()).toBe(0);
  await tell.click();
  await expect(tell).toBeChecked();
  expect(await asked()).toBe(1);
  let looks = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/v1/job')) looks += 1;
  });
  // What watches is fetched after the first picture: hidden again until it looks.
  await expect
    .poll(async () => {
      await see('visible');
      await see('hidden');
      return looks;
    })
    .toBeGreaterThan(0);
  await expect(page).toHaveTitle('Account · Muster');
  await sandbox.open('go');
  await expect(page).toHaveTitle('(1) Account · Muster', { timeout: 30_000 });
  expect(await noticesOf(page)).toMatchObject([{ title: 'Update the pump has ended', body: 'It came to: failed' }]);
  await see('visible');
  await expect(page).toHaveTitle('Account · Muster');
  const notice = page.getByRole('alert').filter({ hasText: 'Update the pump has ended' });
  await expect(notice).toContainText('It came to: failed');
  await expectAccessible(page);
  await notice.getByRole('link', { name: 'See the job' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Update the pump' })).toBeVisible();
});
