// The tasks of the README by keyboard alone. A test fails if anything was pressed with a pointer.
import type { Page } from '@playwright/test';
import { DeviceWeb, statusOf } from './behind-tunnels.ts';
import { expect, test } from './fixtures.ts';
import { jobSandbox, log, script, statusOf as statusOfJob, submit } from './job-sandbox.ts';
import { press, tabTo, typeInto } from './keys.ts';
import { fleet } from './rolled-out.ts';

test.beforeEach(({ page }) =>
  page.addInitScript(() => {
    addEventListener('pointerdown', () => sessionStorage.setItem('pointer', 'used'), { capture: true });
  }),
);
test.afterEach(async ({ page }) => {
  expect(await page.evaluate(() => sessionStorage.getItem('pointer'))).toBeNull();
});

const heading = (page: Page) => page.getByRole('heading', { level: 1 });

/** Opens a page by a part of its name in the palette, as one does from anywhere. */
async function find(page: Page, words: string, title: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('combobox', { name: /^Find pages/ })).toBeFocused();
  await page.keyboard.type(words);
  await expect(page.getByRole('option', { name: title }).first()).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(heading(page)).toContainText(title);
}

test('by keyboard: the first device, and the first log', async ({ signedIn: page, service }) => {
  await page.goto(service.url);
  await press(page, page.getByRole('link', { name: 'Add this machine' }));
  const connect = page.getByRole('dialog', { name: 'Connect this-machine' });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await press(page, connect.getByRole('button', { name: 'Copy command' }));
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await expect.poll(copied).toContain('--key');
  const [, key = ''] = /--key (\S+)/.exec(await copied()) ?? [];
  await service.agent(key);
  const success = page.getByRole('dialog', { name: / is connected$/ });
  await press(page, success.getByRole('button', { name: 'Deploy a sample' }));
  await expect(page.getByRole('region', { name: /^Output of .*, text$/ })).toContainText(/Hello from.*Done/s);
  await expect(heading(page)).toContainText('Succeeded');
});

test('by keyboard: filter devices, select them, and deploy to them in waves', async ({ signedIn: page, service }) => {
  await fleet(service, 4);
  await service.createDevice('gate 1', 'doors');
  await page.goto(service.url);
  await find(page, 'devices', 'Devices');
  const table = page.getByRole('table', { name: 'Devices' });
  await expect(table.getByRole('link')).toHaveCount(5);
  await press(page, page.getByRole('button', { name: 'Filter by group' }));
  await expect(page.getByRole('textbox', { name: 'Find a group' })).toBeFocused();
  await page.keyboard.type('hall');
  await expect(page.getByRole('option', { name: /hall/ })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(table.getByRole('link')).toHaveCount(4);
  await page.keyboard.press('Escape');
  await tabTo(page, page.getByRole('checkbox', { name: 'Select all 4' }));
  await page.keyboard.press('Space');
  const selected = page.getByRole('region', { name: 'Selected devices' });
  await expect(selected).toContainText('4 selected');
  await press(page, selected.getByRole('button', { name: 'Deploy' }));

  await expect(heading(page)).toHaveText('Deploy');
  await typeInto(page, page.getByRole('combobox', { name: 'Artifact' }), 'myapp');
  await expect(page.getByRole('option', { name: /myapp/ })).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await press(page, page.locator('summary').filter({ hasText: 'Safety' }));
  await press(page, page.getByRole('button', { name: '1 · 10 · 50 · 100 %' }));
  const hands = page.getByLabel('Require approval before each wave');
  await tabTo(page, hands);
  if (await hands.isChecked()) await page.keyboard.press('Space');
  await press(page, page.getByRole('button', { name: 'Roll out to 4 devices' }));
  await expect(page).toHaveURL(/\/rollouts\/[^/]+$/);
  await expect(page.getByRole('list', { name: 'Waves' }).getByRole('listitem').first()).toContainText('Wave 1');
});

test('by keyboard: retry the devices that failed for one reason', async ({ signedIn: page, service }) => {
  const sandbox = await jobSandbox(service);
  const { DeviceKey } = await service.createDevice('pump 1', 'pumps');
  await service.agent(DeviceKey);
  const ArtifactId = await script(
    service,
    sandbox,
    'update.sh',
    `[ -e '${sandbox.folder}/room' ] || { echo 'No space left on device' >&2; exit 28; }`,
    'echo installed',
  );
  const job = await submit(service, { Name: 'Update the pumps', DeviceGroup: 'pumps', ArtifactId });
  await expect.poll(() => statusOfJob(service, job)).toBe('Failed');
  await sandbox.open('room');
  await page.goto(service.url);
  await find(page, 'jobs', 'Jobs');
  await press(page, page.getByRole('link', { name: 'Update the pumps' }));
  await expect(heading(page)).toContainText('Update the pumps');
  await press(page, page.getByRole('button', { name: /No space left on device/ }));
  await press(page, page.getByRole('button', { name: 'Retry these 1…' }));
  await press(page, page.getByRole('dialog').getByRole('button', { name: 'Retry on 1 device' }));
  await press(page, page.getByRole('table', { name: 'Devices of this job' }).getByRole('link', { name: 'pump 1' }));
  await expect(log(page, 'pump 1')).toContainText('installed');
});

test('by keyboard: open a tunnel to a device', async ({ signedIn: page, service }) => {
  const web = new DeviceWeb();
  try {
    const { port } = new URL(await web.start());
    const { DeviceKey } = await service.createDevice('pump 1');
    await service.agent(DeviceKey, { args: ['--allow-tunnels', 'loopback'] });
    await page.goto(service.url);
    await find(page, 'tunnels', 'Tunnels');
    await press(page, page.getByRole('link', { name: 'Open a tunnel' }));
    const dialog = page.getByRole('dialog', { name: 'Open a tunnel' });
    await typeInto(page, dialog.getByRole('combobox', { name: 'Device' }), 'pump');
    await expect(page.getByRole('option', { name: 'pump 1' })).toBeVisible();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await tabTo(page, dialog.getByLabel('Port', { exact: true }));
    await page.keyboard.press('Control+a');
    await page.keyboard.type(port);
    await press(page, dialog.getByRole('button', { name: 'Open tunnel' }));
    const opened = page.getByRole('dialog', { name: 'The tunnel is open' });
    const address = await opened.getByRole('link', { name: /^http:/ }).innerText();
    expect(await statusOf(address)).toBe(401);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await press(page, opened.getByRole('button', { name: 'Copy password' }));
    await press(page, opened.getByRole('button', { name: 'Done' }));
    await expect(page.getByRole('table', { name: 'Tunnels' })).toContainText('pump 1');
  } finally {
    web.stop();
  }
});

test('by keyboard: an alert rule for the channel that is there', async ({ signedIn: page, service }) => {
  await service.call('POST', '/v1/alerts/channels', {
    Name: 'Ops',
    Kind: 'webhook',
    Url: 'https://ops.example.com/hook',
  });
  await page.goto(service.url);
  await find(page, 'alerts', 'Alerts');
  await press(page, page.getByRole('button', { name: 'Create rule' }));
  const dialog = page.getByRole('dialog', { name: 'Create rule' });
  await typeInto(page, dialog.getByLabel('Name'), 'A gate is away');
  await press(page, dialog.getByRole('button', { name: 'Create rule' }));
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('table', { name: 'Rules' }).getByRole('row', { name: 'A gate is away' })).toContainText(
    'Ops',
  );
});

test('by keyboard: who created a device, in the audit log', async ({ signedIn: page, service }) => {
  await service.createDevice('pump 7');
  await service.createDevice('pump 8');
  await page.goto(service.url);
  await find(page, 'audit', 'Activity');
  const entries = page.getByRole('table', { name: 'Audit log' }).locator('tbody').getByRole('row');
  await expect(entries.filter({ hasText: 'pump 8' })).toHaveCount(1);
  await page.keyboard.press('/');
  await page.keyboard.type('pump 7');
  await expect(entries.filter({ hasText: 'pump 8' })).toHaveCount(0);
  await press(page, entries.filter({ hasText: 'pump 7' }).getByRole('link', { name: /^Details: Created device/ }));
  const dialog = page.getByRole('dialog', { name: 'Created device' });
  await expect(dialog).toContainText('Token');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
});
