// Windows in a zone whose clocks the service's machine knows better than its Node.js.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, expectAccessible, test } from './fixtures.ts';
import { fleet } from './rolled-out.ts';

// A zone that no longer changes its clocks, as zic writes it without any change.
const zones = mkdtempSync(path.join(tmpdir(), 'zones-'));
const file = Buffer.alloc(44 + 6 + 4);
file.write('TZif');
for (const [at, value] of [
  [36, 1],
  [40, 4],
  [44, -5 * 3600],
] as const)
  file.writeInt32BE(value, at);
mkdirSync(path.join(zones, 'America'));
writeFileSync(path.join(zones, 'America', 'Chicago'), file);
writeFileSync(path.join(zones, 'tzdata.zi'), '# version 2999f\n');
test.use({ serviceEnv: { TZDIR: zones } });
test.afterAll(() => rmSync(zones, { recursive: true, force: true }));

test('a window says which time zones the service has, and warns where its machine has newer ones that differ', async ({
  signedIn: page,
  service,
}) => {
  const { ArtifactId } = await fleet(service, 2, 0);
  const version = page.getByText(`Time zones of the service: version ${process.versions.tz}`);
  const warning = page.getByRole('note').filter({ hasText: 'windows in America/Chicago begin 60 minutes late' });
  await page.goto(`${service.url}/deploy?group=hall&artifact=${ArtifactId}&waves=on`);
  await page.getByText('Passes at 95 %').click();
  await page.getByLabel('Only in maintenance windows').check();
  await page.getByLabel('Time zone').fill('Europe/Berlin');
  await expect(version).toBeVisible();
  await expect(warning).toHaveCount(0);
  await page.getByLabel('Time zone').fill('America/Chicago');
  await expect(warning).toContainText('its machine 2999f. Update Node.js');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Roll out to 2 devices' }).click();
  await expect(page.getByText(/\(America\/Chicago\)/)).toBeVisible();
  await expect(version).toBeVisible();
  await expect(warning).toBeVisible();
});
