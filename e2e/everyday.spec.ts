// The palette, and requests as curl.
import { execFileSync } from 'node:child_process';
import type { Page } from '@playwright/test';
import { expect, expectAccessible, test, type Service } from './fixtures.ts';

const palette = (page: Page) => page.getByRole('dialog', { name: 'Command palette' });
const field = (page: Page) => palette(page).getByRole('combobox');
const chosen = (page: Page) => palette(page).getByRole('option', { selected: true });

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await expect(field(page)).toBeFocused();
}

/** Two pumps, an artifact and a job to both; returns the id of the first pump. */
async function fill(service: Service): Promise<string> {
  const { DeviceId } = await service.createDevice('pump-7', 'pumps');
  await service.createDevice('<b>pump</b> \u202Eeight', 'pumps');
  const ArtifactId = await service.uploadScript('check.sh', '#!/bin/sh\necho fine\n', '/tmp');
  await service.call('POST', '/v1/job', { Name: 'Check the pumps', DeviceGroup: 'pumps', ArtifactId });
  return DeviceId;
}

test('the palette finds devices, jobs, groups and artifacts with the keyboard alone @main', async ({
  signedIn: page,
  service,
}) => {
  await fill(service);
  await page.goto(`${service.url}/`);
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
  await openPalette(page);
  await page.keyboard.type('check.sh');
  await expect(palette(page).getByRole('group', { name: 'Artifacts' })).toContainText('check.sh');
  await page.keyboard.press('Escape');
  await expect(palette(page)).toBeHidden();
  await openPalette(page);
  await expectAccessible(page);
  await page.keyboard.type('pump');
  await expect(chosen(page)).toContainText('pump-7');
  await expect(palette(page).getByRole('option', { name: '<b>pump</b>' })).toBeVisible();
  await expect(palette(page).getByRole('option', { name: 'Check the pumps' })).toBeVisible();
  await expect(palette(page).getByRole('option', { name: /^pumps\s*2 devices/ })).toBeVisible();
  await expect(palette(page).getByRole('option', { name: 'All 2 matching devices' })).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('ArrowDown');
  await expect(chosen(page)).toContainText('<b>pump</b>');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'pump-7' })).toBeVisible();
  await expect(palette(page)).toBeHidden();
  await openPalette(page);
  await expect(palette(page).getByRole('group', { name: 'Recent' }).getByRole('option')).toContainText('pump-7');
});

test('what is typed before the palette has loaded is in its field, and Escape closes it even then', async ({
  signedIn: page,
  service,
}) => {
  await fill(service);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(/\/palette-dialog-[^/]*\.js$/, async (route) => {
    await released;
    await route.continue();
  });
  await page.goto(`${service.url}/devices`);
  await page.getByLabel('Search devices by name or ID').focus();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('not this');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('pumpx');
  await page.keyboard.press('Backspace');
  release();
  await expect(field(page)).toHaveValue('pump');
  await page.keyboard.type('-7');
  await expect(field(page)).toHaveValue('pump-7');
  await page.keyboard.press('Escape');
  await expect(palette(page)).toBeHidden();
  await expect(page.getByLabel('Search devices by name or ID')).toHaveValue('');
});

test('the palette finds a device by its id, and actions on the device of the page', async ({
  signedIn: page,
  service,
}) => {
  const id = await fill(service);
  await page.goto(`${service.url}/devices/${id}`);
  await expect(page.getByRole('heading', { level: 1, name: 'pump-7' })).toBeVisible();
  await openPalette(page);
  await page.keyboard.type(id);
  await expect(chosen(page)).toContainText('pump-7');
  await field(page).fill('location');
  await expect(chosen(page)).toHaveText('Set the location of this device');
  await page.keyboard.press('Enter');
  const location = page.getByRole('dialog', { name: 'Location of pump-7' });
  await expect(location).toBeVisible();
  // The keys of the palette do not close another dialog.
  await page.keyboard.press('Control+k');
  await expect(palette(page)).toBeHidden();
  await page.keyboard.press('Escape');
  await expect(location).toBeHidden();
});

/** Runs the displayed command in a shell, with the token in the variable that it names. */
const run = (command: string, token: string) =>
  execFileSync('bash', ['-c', command.replace(/^curl/, 'curl -sS --fail')], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '', TOKEN: token },
  });

test('the requests of forms and pages are shown as curl commands that do the same', async ({
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
  await expect(edit).toBeHidden();
  await expect(page.getByRole('heading', { level: 1 })).toContainText("it's $(id)");
  const [device] = await service.call<{ DeviceName: string }[]>(
    'GET',
    `/v1/devices/1/25/filters?device_id=${DeviceId}`,
  );
  expect(device?.DeviceName).toBe(hostile);

  await page.getByRole('button', { name: 'Show as curl' }).click();
  const reads = page.getByRole('dialog', { name: 'Requests of this page' });
  const own = reads.getByRole('region', { name: `GET /v1/devices/1/25/filters?device_id=${DeviceId} as curl` });
  expect(JSON.parse(run(await own.innerText(), service.token))).toMatchObject([{ DeviceId, DeviceName: hostile }]);
  await expect(reads).not.toContainText(service.token);
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Show as curl' })).toBeFocused();
});
