// The map coloured by the version of an artifact that each device runs.
import type { Page } from '@playwright/test';
import { expect, expectAccessible, test, withoutOffers, type Service } from './fixtures.ts';
import { inView, openMap, placed, region } from './on-map.ts';

const colourBy = (page: Page) => page.getByRole('radiogroup', { name: 'Colour by' });
const legend = (page: Page) => page.getByRole('list', { name: 'Colours of the versions' });

/** Three devices on the map; `firmware` runs on two of them in two versions, `viewer` on one. */
async function threeDevices(page: Page, service: Service): Promise<void> {
  const ids: string[] = [];
  for (const [name, lng] of [
    ['one', 10],
    ['two', 12],
    ['three', 14],
  ] as const)
    ids.push(await placed(service, name, 48, lng));
  const runs: Record<string, string[]> = { firmware: ['1.9.0', '1.10.0'], viewer: ['3.0'] };
  // Answered here: what devices run takes a job on each.
  await page.route(/\/v1\/versions(\/counts)?\?|\/v1\/versions\/counts$/, (route) => {
    const { pathname, searchParams } = new URL(route.request().url());
    if (pathname.endsWith('/counts'))
      return route.fulfill({
        json: Object.entries(runs).flatMap(([ArtifactName, versions]) =>
          versions.map((Version) => ({ ArtifactName, Version, Devices: 1 })),
        ),
      });
    const ArtifactName = searchParams.get('artifact') ?? '';
    const Items = (runs[ArtifactName] ?? []).map((Version, at) => ({
      DeviceId: ids[at],
      ArtifactName,
      Version,
      Time: '2026-01-01T00:00:00.000Z',
      JobId: 'job',
    }));
    return route.fulfill({ json: { Items, Next: '', Version: 'v', Reset: false, None: [] } });
  });
}

test('colours by version have a legend, newest first, for an artifact that is chosen, in clusters too, but not in a replay', async ({
  signedIn: page,
  service,
}) => {
  await threeDevices(page, service);
  await openMap(page, service);
  await colourBy(page).getByText('Version', { exact: true }).click();
  await expect(legend(page).getByRole('listitem')).toHaveText(['A1.10.01', 'B1.9.01', 'no firmware1']);
  await expect(page).toHaveURL(/color=version/);
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page);
  await page.getByRole('combobox', { name: 'Artifact' }).selectOption('viewer');
  await expect(legend(page).getByRole('listitem')).toHaveText(['A3.01', 'no viewer2']);
  await expect(page).toHaveURL(/of=viewer/);
  await page.reload();
  await expect(legend(page).getByRole('listitem')).toHaveText(['A3.01', 'no viewer2']);

  await page.getByRole('button', { name: 'Replay', exact: true }).click();
  await expect(page.getByText('A replay shows states: which versions ran then is not stored.')).toBeVisible();
  await expect(page.getByRole('list', { name: 'Shapes of the states' })).toBeVisible();

  // A cluster says how many of its devices run which version.
  await openMap(page, service, '?color=version&at=48.0000,12.0000,2');
  await expect(legend(page)).toBeVisible();
  const box = await region(page).boundingBox();
  await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2);
  await expect(page.getByText('3 devices, 1 1.10.0, 1 1.9.0, 1 without it')).toBeVisible();

  // An artifact leads to the map of its versions.
  await page.goto(`${service.url}/artifacts/viewer`);
  await page.getByRole('link', { name: 'Show on the map' }).click();
  await expect(legend(page).getByRole('listitem')).toHaveText(['A3.01', 'no viewer2']);
});

test.describe('when the versions cannot be read', () => {
  test.use({ expectedConsole: [/status of 500/] });

  test('the legend says so and reads them again', async ({ signedIn: page, service }) => {
    await threeDevices(page, service);
    let isBroken = true;
    await page.route(/\/v1\/versions\?/, (route) =>
      isBroken ? route.fulfill({ status: 500, body: 'Broken' }) : route.fallback(),
    );
    await openMap(page, service, '?color=version');
    const alert = page.getByRole('alert').filter({ hasText: 'The versions could not be loaded' });
    await expect(alert).toBeVisible();
    isBroken = false;
    await alert.getByRole('button', { name: 'Retry' }).click();
    await expect(legend(page).getByRole('listitem')).toHaveCount(3);
  });
});

test('a service that records no versions and keeps no history is not asked for them, and offers no replay', async ({
  signedIn: page,
  service,
}) => {
  await threeDevices(page, service);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await withoutOffers(page, 'history', 'versions');
  await openMap(page, service, `?color=version&replay=24h&time=${new Date().toISOString()}`);
  await expect(colourBy(page).getByRole('radio')).toHaveCount(2);
  await expect(colourBy(page).getByRole('radio', { name: 'State' })).toBeChecked();
  await expect(inView(page).getByRole('listitem')).toHaveCount(3);
  await expect(page.getByRole('button', { name: 'Replay', exact: true })).toBeHidden();
  await expect(page.getByRole('region', { name: 'Replay of the last 24 hours' })).toBeHidden();
  expect(asked.filter((path) => /^\/v1\/(versions|history)/.test(path))).toEqual([]);
});
