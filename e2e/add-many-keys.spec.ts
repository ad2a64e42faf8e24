// What comes after many devices were created: their keys as a file, labels for the printer, and devices that come Online.
import type { Page } from '@playwright/test';
import { expectBlocked } from './blocked.ts';
import { expect, signIn, test, type Service } from './fixtures.ts';
import { devices, downloadKeys, paste, result } from './rows-to-create.ts';

/** Creates four devices, one with a name that a spreadsheet would take for a formula. */
async function createFour(page: Page, service: Service): Promise<void> {
  await paste(page, service, ['"=HYPERLINK(""http://x"")",north', '<img src=x onerror=alert(1)>,north', 'fan', 'pump']);
  await page.getByRole('button', { name: 'Create 4 devices' }).click();
  await expect(page.getByText('4 of 4 devices created', { exact: true })).toBeVisible();
}

test('the file of keys is safe to open and has the key of each device, and the browser stores none', async ({
  signedIn: page,
  service,
}) => {
  await createFour(page, service);
  const made = await devices(service);
  const [head, ...keys] = await downloadKeys(page);
  expect(head).toEqual(['name', 'group', 'device_id', 'device_key', 'install_command']);
  expect(keys.map(([name]) => name)).toEqual([
    '\'=HYPERLINK("http://x")',
    '<img src=x onerror=alert(1)>',
    'fan',
    'pump',
  ]);
  for (const [, , id, key, command] of keys) {
    expect(made.some(({ DeviceId }) => DeviceId === id)).toBe(true);
    expect(command).toBe(`curl -fsSL ${service.url}/install.sh | DEVICE_KEY=${key} sh -s -- --allow-tunnels loopback`);
  }

  const stored = await page.evaluate(() =>
    JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), location.href]),
  );
  for (const [, , , key = ''] of keys) expect(stored).not.toContain(key);
  await page.getByRole('link', { name: 'Overview' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
});

test('many devices are one request, and their keys are read again by the same session until they are deleted', async ({
  signedIn: page,
  service,
  browser,
}) => {
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(new URL(request.url()).pathname);
  });
  await createFour(page, service);
  expect(sent).toEqual(['/v1/bulk']);
  const keys = await downloadKeys(page);
  await page.reload();
  await expect(page.getByText('4 keys')).toBeVisible();

  // Another visit, by the way of all bulk work.
  await page.goto(`${service.url}/bulk`);
  await page.getByRole('link', { name: 'Create 4 devices' }).click();
  await expect(page.getByText('4 done.')).toBeVisible();
  await page.getByRole('link', { name: 'Devices and their keys' }).click();
  expect(await downloadKeys(page)).toEqual(keys);

  const context = await browser.newContext();
  const other = await context.newPage();
  await signIn(other, service);
  await other.goto(page.url());
  await expect(other.getByText('4 of 4 devices created')).toBeVisible();
  await expect(other.getByText('only the session that created them can read them')).toBeVisible();
  await expectBlocked(other.getByRole('button', { name: 'Download keys' }), 'There is no key');
  await context.close();

  await page.getByRole('button', { name: 'Delete keys' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete 4 keys' }).click();
  await expect(page.getByText('only the session that created them can read them')).toBeVisible();
  await page.reload();
  await expect(page.getByText('No keys to show')).toBeVisible();
  await expect(result(page, 'fan')).toContainText('Created');
});

test('a device that connects with its new key is counted as Online in the list', async ({
  signedIn: page,
  service,
}) => {
  await createFour(page, service);
  const [, ...keys] = await downloadKeys(page);
  await expect(page.getByText('0 of 4 Online')).toBeVisible();
  await service.agent(keys[2]?.[3] ?? '');
  await expect(page.getByText('1 of 4 Online')).toBeVisible();
  await expect(result(page, 'fan').getByText('Online')).toBeVisible();
  await page.getByText(/^Not Online yet 3$/).click();
  await expect(result(page, 'fan')).toBeHidden();
});

test('labels for the printer: a code, name, id and command for each device, and nothing else on the paper', async ({
  signedIn: page,
  service,
}) => {
  await page.goto(`${service.url}/devices/add-many`);
  const cells = Array.from({ length: 30 }, (_, number) => `shelf ${number}\tgroup ${number}`).join('\n');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate((text) => navigator.clipboard.writeText(text), cells);
  await page.getByRole('textbox', { name: 'Rows' }).press('ControlOrMeta+V');
  await page.getByRole('button', { name: 'Create 30 devices' }).click();
  await page.getByRole('button', { name: 'Prepare labels' }).click();
  await expect(page.getByRole('button', { name: 'Print 30 labels' })).toBeVisible();
  await page.emulateMedia({ media: 'print' });
  const labels = page.locator('.device-labels');
  await expect(labels).toBeVisible();
  await expect(page.locator('#main')).toBeHidden();
  await expect(labels.locator('svg')).toHaveCount(30);
  const [made] = await devices(service);
  await expect(labels).toContainText(`${made?.DeviceName}${made?.DeviceId}curl -fsSL ${service.url}/install.sh`);
  await page.emulateMedia({ media: 'screen' });
  await expect(labels).toBeHidden();
  await page.getByRole('button', { name: 'The labels are printed' }).click();
  await expect(page.getByText('All are saved, printed or in use.')).toBeVisible();
  await page.getByRole('link', { name: 'Overview' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
  await expect(labels).toHaveCount(0);
});
