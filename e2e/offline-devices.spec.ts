// A job of which most devices are Offline: each screen says what it waits for, in one word, and none promises an end.
import { expect, test } from './fixtures.ts';
import { heading, script, submit, jobSandbox } from './job-sandbox.ts';

test('with 8 of 10 devices Offline, job, list, overview and palette say that it waits for them', async ({
  signedIn: page,
  service,
}) => {
  const sandbox = await jobSandbox(service);
  const ArtifactId = await script(service, sandbox, 'update.sh', 'echo installed');
  for (let number = 1; number <= 10; number++) {
    const { DeviceKey } = await service.createDevice(`pump ${number}`, 'pumps');
    if (number <= 2) await service.agent(DeviceKey);
  }
  const parent = await submit(service, { Name: 'Update', DeviceGroup: 'pumps', ArtifactId });
  await page.goto(`${service.url}/jobs/${parent}`);
  await expect(heading(page)).toHaveText('Update Waiting');
  const progress = page.getByRole('region', { name: 'Progress' });
  await expect(progress).toContainText('2 of 10 devices done · 8 waiting for offline devices');
  await expect(page.getByRole('main')).not.toContainText(/ left /);
  const link = (name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true }).first();
  await link('Jobs').click();
  const row = page.getByRole('table', { name: 'Jobs' }).getByRole('row', { name: /Update/ });
  await expect(row).toContainText('Waiting');
  await expect(row).toContainText('8 wait for offline devices');
  await link('Overview').click();
  await expect(page.getByText('2 of 10 done · 8 waiting for offline devices')).toBeVisible();
  await page.keyboard.press('ControlOrMeta+K');
  await page.getByRole('dialog').getByRole('combobox').fill('Update');
  await expect(
    page
      .getByRole('dialog')
      .getByRole('option', { name: /^Update/ })
      .first(),
  ).toContainText('Waiting');
});
