// A job as a picture: when its devices ran and how long they took, and a selected part filters the list below.
import type { Page } from '@playwright/test';
import { expect, expectAccessible, test, type Service } from './fixtures.ts';
import { jobSandbox, script, submit } from './job-sandbox.ts';

/** A job on four devices: one fails, one takes longer than the others. */
async function job(service: Service): Promise<string> {
  const sandbox = await jobSandbox(service);
  const body = 'case "$UNIT" in 1) echo "no room" >&2; exit 28;; 2) sleep 6;; esac';
  const artifact = await script(service, sandbox, 'update.sh', body, 'echo installed');
  for (const UNIT of ['1', '2', '3', '4']) {
    const { DeviceKey } = await service.createDevice(`unit-${UNIT}`, 'lab');
    await service.agent(DeviceKey, { env: { UNIT } });
  }
  return submit(service, { Name: 'Update', DeviceGroup: 'lab', ArtifactId: artifact });
}

const picture = (page: Page) => page.getByRole('region', { name: 'Timeline' });
const durations = (page: Page) => picture(page).getByRole('slider', { name: /^Durations/ });
const names = (page: Page) => page.getByRole('table', { name: 'Devices of this job' }).getByRole('link');

test('the picture of a job says how many ended, the median and the slowest @main', async ({
  signedIn: page,
  service,
}) => {
  await page.goto(`${service.url}/jobs/${await job(service)}`);
  await expect(
    picture(page).getByRole('slider', { name: 'Devices over time: 4 of 4 devices ended, 1 failed' }),
  ).toBeVisible();
  await expect(durations(page)).toHaveAccessibleName(/^Durations: median \S+ s, slowest \d/);
  await expectAccessible(page);
  await picture(page).getByRole('link', { name: 'unit-2' }).click();
  await expect(page.getByRole('heading', { level: 2, name: 'unit-2' })).toBeVisible();
});

test('the slowest devices of a job are listed by a selection with the keyboard, which a reload keeps', async ({
  signedIn: page,
  service,
}) => {
  await page.goto(`${service.url}/jobs/${await job(service)}`);
  await expect(picture(page).getByRole('slider', { name: /4 of 4 devices ended/ })).toBeVisible();
  await expect(names(page)).toHaveCount(4);
  await durations(page).focus();
  await page.keyboard.press('End');
  await expect(durations(page)).toHaveAttribute('aria-valuetext', /Succeeded 1/);
  await page.keyboard.press('Shift+ArrowLeft');
  await expect(names(page)).toHaveText(['unit-2']);
  await expect(page).toHaveURL(/took=\d+-\d+/);
  await page.reload();
  await expect(names(page)).toHaveText(['unit-2']);
  await picture(page).getByRole('button', { name: 'Show all' }).click();
  await expect(names(page)).toHaveCount(4);
});

test('a drag over the time of a job lists what ran then', async ({ signedIn: page, service }) => {
  await page.goto(`${service.url}/jobs/${await job(service)}`);
  const time = picture(page).getByRole('slider', { name: /4 of 4 devices ended/ });
  await expect(time).toBeVisible();
  const box = (await time.boundingBox())!;
  await page.mouse.move(box.x + box.width * 0.75, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 2, box.y + 40, { steps: 4 });
  await page.mouse.up();
  await expect(page).toHaveURL(/time=\d+-\d+/);
  await expect(names(page)).toHaveText(['unit-2']);
});
