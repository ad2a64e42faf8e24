// Rollouts in front of a /v1 service that has none: the gateway carries them on, with a token that the operator gave it.
import { expect, expectAccessible } from './fixtures.ts';
import { FOREIGN_TOKEN } from './foreign/foreign.ts';
import { before } from './foreign/gateway.ts';
import { startPlain } from './foreign/plain.ts';

const test = before(startPlain, { UPSTREAM_TOKEN: FOREIGN_TOKEN });
test.use({ expectedConsole: [/status of 40[45]/] });
/** The gateway looks every few seconds. */
const LOOKED = { timeout: 40_000 };

test('a group is rolled out to in two waves, with one job for each device', async ({
  signedIn: page,
  service,
  foreign,
}) => {
  await page.goto(`${service.url}/rollouts`);
  await expect(page.getByText('No rollouts yet')).toBeVisible();
  await page.goto(`${service.url}/deploy?group=pumps&artifact=a1&waves=on`);
  await page.getByRole('button', { name: '1 device, 10, 100 %' }).click();
  await page.getByRole('button', { name: 'Remove wave 2' }).click();
  await page.getByLabel('And Online again for, in minutes').fill('0');
  const plan = page.getByRole('region', { name: 'Review' }).getByRole('list', { name: 'Planned waves' });
  await expect(plan.getByRole('listitem')).toHaveText([/^Wave 1 1 device/, /^Wave 2 2 devices/]);
  await page.getByLabel(/to confirm a rollout/).fill('3');
  await page.getByRole('button', { name: 'Roll out to 3 devices' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Succeeded', LOOKED);
  const wave = page.getByRole('list', { name: 'Waves' }).getByRole('listitem');
  await expect(wave.filter({ hasText: 'Wave 2' })).toContainText('Passed');
  await expect(page.getByRole('table', { name: 'Devices of the rollout' }).getByRole('row')).toHaveCount(4);
  await expectAccessible(page);
  const targets = foreign.heard
    .filter(({ method, url }) => method === 'POST' && url === '/v1/job')
    .map(({ body }) => (JSON.parse(body.toString()) as { DeviceId: string }).DeviceId);
  expect(targets.toSorted((one, other) => one.localeCompare(other))).toEqual(['d1', 'd2', 'd3']);
  await page.getByRole('link', { name: 'Log of pump 1' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('wave');
});
