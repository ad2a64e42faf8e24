// Standing orders: created, carried out for devices that join later too, and stopped by a failure until someone retries.
import type { Page } from '@playwright/test';
import { rm, writeFile } from 'node:fs/promises';
import { expect, expectAccessible, test, type Service } from './fixtures.ts';

const orders = (page: Page) => page.getByRole('table', { name: 'Standing orders' });
const dialog = (page: Page) => page.getByRole('dialog');

/** An artifact that fails while the file `broken` is there. */
async function artifact(service: Service, version = '2.0.0') {
  const folder = await service.folder('opt');
  const broken = `${folder}/broken`;
  const text = `#!/bin/sh\n[ -e '${broken}' ] && { echo 'no room'; exit 28; }\necho installed\n`;
  return { ArtifactId: await service.uploadScript('myapp.sh', text, folder, version), broken };
}
async function join(service: Service, name: string): Promise<void> {
  const { DeviceKey } = await service.createDevice(name, 'hall');
  await service.agent(DeviceKey);
}
const order = (service: Service, ArtifactId: string) =>
  service.call('PUT', '/v1/orders/halls', { DeviceGroup: 'hall', ArtifactId });
const jobs = (service: Service) => service.call<{ JobId: string }[]>('GET', '/v1/job');

test('a group gets a version, and a device that joins later exactly one job', async ({ signedIn: page, service }) => {
  await artifact(service);
  await join(service, 'unit 1');
  await page.goto(`${service.url}/rollouts`);
  await page.getByRole('link', { name: 'Standing orders' }).click();
  await expect(page.getByText('No standing orders yet')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('main').getByRole('button', { name: 'New standing order' }).click();
  await dialog(page).getByLabel('Name').fill('halls');
  await dialog(page).getByLabel('Group').fill('hall');
  await dialog(page).getByLabel('Version').selectOption({ label: 'myapp.sh 2.0.0' });
  await expectAccessible(page);
  await dialog(page).getByRole('button', { name: 'Create standing order' }).click();
  await expect(orders(page)).toContainText('1 of 1 have it');
  await expect(orders(page)).toContainText('Fulfilled');
  await join(service, 'unit 2');
  await expect(orders(page)).toContainText('2 of 2 have it');
  expect(await jobs(service)).toHaveLength(2);
  await expectAccessible(page);
  await orders(page).getByRole('link', { name: 'myapp 2.0.0' }).click();
  await expect(page.getByRole('link', { name: 'myapp 2.0.0 on 2 devices' })).toBeVisible();
});

test('after a failure it says which device and why, and waits for a retry; another version starts over, a deleted artifact stops it', async ({
  signedIn: page,
  service,
}) => {
  const { ArtifactId, broken } = await artifact(service);
  await writeFile(broken, '');
  await join(service, 'unit 1');
  await order(service, ArtifactId);
  await page.goto(`${service.url}/rollouts/orders`);
  await expect(orders(page)).toContainText('0 of 1 have it, 1 failed');
  await rm(broken);
  // Once the device that joined later has its job, the failed one has been checked and skipped.
  await join(service, 'unit 2');
  await expect(orders(page)).toContainText('1 of 2 have it, 1 failed');
  expect(await jobs(service)).toHaveLength(2);
  await expect(page.getByRole('button', { name: 'Delete halls' })).toBeInViewport({ ratio: 1 });
  await page.getByRole('button', { name: 'Show 1 device of halls that failed' }).click();
  const failed = dialog(page).getByRole('table', { name: 'Failed devices' });
  await expect(failed.getByRole('row', { name: 'unit 1' })).toContainText('Failed');
  await expect(failed.getByRole('link', { name: 'Job of unit 1' })).toBeVisible();
  await expectAccessible(page);
  await dialog(page).getByRole('button', { name: 'Retry 1 device' }).click();
  await expect(orders(page)).toContainText('2 of 2 have it');
  expect(await jobs(service)).toHaveLength(3);

  const next = await artifact(service, '3.0.0');
  await page.getByRole('button', { name: 'Edit halls' }).click();
  await dialog(page).getByLabel('Version').selectOption(next.ArtifactId);
  await expect(dialog(page).getByText('A new version starts over')).toBeVisible();
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await expect(orders(page)).toContainText('myapp 3.0.0');
  await expect(orders(page)).toContainText('2 of 2 have it');
  await service.call('DELETE', `/v1/artifact/${next.ArtifactId}`);
  await page.reload();
  await expect(orders(page)).toContainText('Stopped');
  await expect(orders(page)).toContainText('Its artifact was deleted: choose another one.');
  await page.getByRole('button', { name: 'Delete halls' }).click();
  await dialog(page).getByRole('button', { name: 'Delete standing order' }).click();
  await expect(page.getByText('No standing orders yet')).toBeVisible();
});

test.describe('two people', () => {
  test.use({ expectedConsole: [/status of 412/] });

  test('what somebody else changed meanwhile is not overwritten', async ({ signedIn: page, service }) => {
    const { ArtifactId } = await artifact(service);
    await order(service, ArtifactId);
    await page.goto(`${service.url}/rollouts/orders`);
    await page.getByRole('button', { name: 'Edit halls' }).click();
    await dialog(page).getByLabel('Group').fill('yard');
    await order(service, ArtifactId);
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await expect(dialog(page).getByRole('alert')).toContainText('The standing order has changed meanwhile');
    await expect(dialog(page).getByLabel('Group')).toHaveValue('yard');
  });
});
