// Every day with it: the palette, and requests as curl.
import { execFileSync } from 'node:child_process';
import { expect, expectAccessible, test } from './fixtures.ts';

test('the palette finds pages, devices, jobs and groups with the keyboard alone @main', async ({
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

test('what a form would send and what a page reads are shown as commands that do the same @main', async ({
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
