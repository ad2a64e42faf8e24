// A deploy whose artifact is uploaded on the way: the target stays chosen, and the folder of a script is absolute.
import { expect, test } from './fixtures.ts';

test('an artifact uploaded on the way to a deploy goes to the target chosen before', async ({
  signedIn: page,
  service,
}) => {
  await service.createDevice('pump-1', 'pumps');
  await service.uploadScript('old.sh', 'echo\n', '/tmp');
  await page.goto(`${service.url}/deploy?group=pumps`);
  await page.getByRole('link', { name: 'Upload an artifact' }).click();
  await expect(page.getByRole('heading', { name: 'Artifacts', level: 1 })).toBeVisible();
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Browse files' }).click();
  await (await choosing).setFiles({ name: 'new.sh', mimeType: 'text/x-sh', buffer: Buffer.from('#!/bin/sh\necho\n') });
  await page.getByRole('textbox', { name: 'Version' }).fill('2.0.0');
  const folder = page.getByRole('textbox', { name: 'Destination folder' });
  await folder.fill('opt/app');
  await page.getByRole('button', { name: /^Upload/ }).click();
  await expect(page.getByText('Destination folder must be an absolute path, such as /opt/myapp')).toBeVisible();
  await folder.fill('/opt/app');
  await page.getByRole('button', { name: /^Upload/ }).click();
  await page.getByRole('link', { name: 'Deploy it: new.sh 2.0.0' }).click();
  await expect(page).toHaveURL(/\/deploy\?group=pumps&artifact=/);
});

test('the way back from the artifacts keeps the target of the deploy', async ({ signedIn: page, service }) => {
  await service.createDevice('pump-1', 'pumps');
  await page.goto(`${service.url}/deploy?group=pumps`);
  await page.getByRole('link', { name: 'Upload an artifact' }).click();
  await page.getByRole('main').getByRole('link', { name: 'Deploy', exact: true }).click();
  await expect(page).toHaveURL(/\/deploy\?group=pumps$/);
});
