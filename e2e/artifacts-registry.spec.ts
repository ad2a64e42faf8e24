// The registry of artifacts: search, details, versions, and what a deletion means for the jobs that wait for it.
import type { Page } from '@playwright/test';
import { expect, expectAccessible, test, type Service } from './fixtures.ts';
import { listed, namesOf, openArtifacts } from './uploads.ts';

const artifactRows = (page: Page) => page.getByRole('table', { name: 'Artifacts' }).getByRole('row');

/** Two artifacts, and a search for one of them. */
async function openTwo(page: Page, service: Service, search = ''): Promise<void> {
  await service.uploadScript('camera.sh', '#!/bin/sh\necho cam\n', '/opt/cam');
  await service.uploadScript('sensor.sh', '#!/bin/sh\necho sensor\n', '/opt/sensor');
  await openArtifacts(page, service, search);
  await expect(artifactRows(page)).toHaveCount(search ? 2 : 3);
}

test('artifacts are searched by name, and a reload shows the same', async ({ signedIn: page, service }) => {
  await openTwo(page, service);
  const rows = artifactRows(page);
  await page.getByRole('searchbox', { name: /^Search by name/ }).fill('SENS');
  await expect(rows).toHaveCount(2);
  await expect(page).toHaveURL(/\?name=SENS$/);
  await page.reload();
  await expect(rows).toHaveCount(2);
  await page.getByRole('searchbox', { name: /^Search by name/ }).fill('SENSE');
  await expect(page.getByText('No artifact matches “SENSE”')).toBeVisible();
  await page.getByRole('button', { name: 'Clear the search' }).click();
  await expect(rows).toHaveCount(3);
});

test('the page of an artifact hides the token of its Command, and Back returns to the search', async ({
  signedIn: page,
  service,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openTwo(page, service, '?name=SENS');
  await page.getByRole('link', { name: 'sensor.sh', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'sensor' })).toBeVisible();
  const details = page.getByRole('group', { name: 'Details of sensor.sh 1.0.0' });
  await expect(details).toContainText('SHA-256');
  const sensor = ((await listed(service)) ?? []).find(({ Name }) => Name === 'sensor.sh');
  const command = sensor?.Command ?? '';
  const token = /url='[^']*?([\w-]{24,})'/.exec(command)?.[1] ?? '';
  expect(token).not.toBe('');
  const shown = details.getByLabel('Command', { exact: true });
  await expect(shown).toContainText('•••');
  await expect(shown).toContainText('/opt/sensor');
  await expect(shown).not.toContainText(token);
  await details.getByRole('button', { name: 'Copy command' }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(command);
  await page.goBack();
  await expect(details).toHaveCount(0);
  await expect(page).toHaveURL(/\?name=SENS$/);
});

test('an artifact is deleted after a question', async ({ signedIn: page, service }) => {
  await openTwo(page, service);
  await page.getByRole('button', { name: 'Delete sensor.sh 1.0.0' }).click();
  const question = page.getByRole('dialog', { name: 'Delete artifact' });
  await expect(question).toContainText('sensor.sh 1.0.0 will be deleted permanently');
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect(await namesOf(service)).toHaveLength(2);
  await page.getByRole('button', { name: 'Delete sensor.sh 1.0.0' }).click();
  await question.getByRole('button', { name: 'Delete artifact' }).click();
  await expect(question).toBeHidden();
  expect(await namesOf(service)).toEqual(['camera.sh']);
  await expect(artifactRows(page)).toHaveCount(2);
  await expect(page.getByRole('link', { name: 'camera.sh', exact: true })).toBeVisible();
});

const question = (page: Page) => page.getByRole('dialog', { name: 'Delete artifact' });

/** Five versions of one script, of which two jobs wait for the oldest, and another script. */
async function openVersions(page: Page, service: Service) {
  for (const [version, size] of [1, 2, 3, 4, 5].entries())
    await service.uploadScript(
      'agent.sh',
      `#!/bin/sh\n# ${size}\n${'x'.repeat(1000 * version)}\n`,
      '/opt',
      `1.${version}`,
    );
  await service.uploadScript('once.sh', '#!/bin/sh\n', '/opt');
  const all = (await listed(service)) ?? [];
  const idOf = (version: string) => all.find(({ Version }) => Version === version)?.ArtifactId ?? '';
  const { DeviceId } = await service.createDevice('gate 1', 'lab');
  await service.createDevice('gate 2', 'lab');
  await service.call('POST', '/v1/job', { Name: 'Waits for one', DeviceId, ArtifactId: idOf('1.0') });
  await service.call('POST', '/v1/job', { Name: 'Waits for many', DeviceGroup: 'lab', ArtifactId: idOf('1.0') });
  await openArtifacts(page, service);
  await expect(artifactRows(page)).toHaveCount(3);
  return { idOf };
}

/** Asks whether to delete the version that jobs wait for. */
async function askAboutOldest(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'agent.sh 5 versions' }).click();
  await page.getByRole('button', { name: 'Delete agent.sh 1.0' }).click();
}

test('the versions of an artifact are one row, which opens', async ({ signedIn: page, service }) => {
  await openVersions(page, service);
  const table = page.getByRole('table', { name: 'Artifacts' });
  const group = table.getByRole('button', { name: 'agent.sh 5 versions' });
  await expect(table.getByRole('row', { name: /agent\.sh/ })).toContainText(/1\.4.*2 waiting/);
  await group.click();
  await expect(table.getByRole('row')).toHaveCount(8);
});

test('a deletion names the jobs that would fail, and is confirmed by the name of the artifact', async ({
  signedIn: page,
  service,
}) => {
  await openVersions(page, service);
  await askAboutOldest(page);
  await expect(question(page)).toContainText('2 jobs wait for it and would fail, on 3 devices');
  const waiting = question(page).getByRole('list', { name: 'Jobs that would fail' }).getByRole('listitem');
  await expect(waiting.filter({ hasText: 'Waits for many' })).toContainText('group lab, 2 waiting');
  await expect(waiting.filter({ hasText: 'Waits for one' })).toContainText('gate 1');
  await expect(question(page).getByRole('button', { name: 'Delete artifact' })).toBeDisabled();
  await question(page).getByLabel('Type agent.sh to confirm').fill('agent.sh');
  await question(page).getByRole('button', { name: 'Delete artifact' }).click();
  await expect(question(page)).toBeHidden();
  await expect(artifactRows(page)).toHaveCount(7);
});

test.describe('when the service refuses one at first', () => {
  test.use({ expectedConsole: [/status of 409/] });

  test('old versions that no job needs are deleted in one step, and the refused one is retried', async ({
    signedIn: page,
    service,
  }) => {
    const { idOf } = await openVersions(page, service);
    let refusals = 1;
    await page.route(`**/v1/artifact/${idOf('1.1')}`, (route) =>
      refusals-- > 0 ? route.fulfill({ status: 409, body: 'Busy with something' }) : route.continue(),
    );
    await page.getByRole('button', { name: 'Delete old versions' }).click();
    const old = page.getByRole('dialog', { name: 'Delete old versions' });
    await expect(old).toContainText('1 artifact will be deleted permanently');
    await expect(old).toContainText('One more old version stays: a job still needs it.');
    await old.getByText('2', { exact: true }).click();
    await expect(old).toContainText('2 artifacts will be deleted permanently');
    await expect(old.getByRole('row')).toHaveText([/Name/, /agent\.sh 1\.2/, /agent\.sh 1\.1/]);
    await expectAccessible(page);
    await old.getByLabel('Type 2 to confirm').fill('2');
    await old.getByRole('button', { name: 'Delete 2 artifacts' }).click();
    await expect(old.getByRole('row', { name: /agent\.sh 1\.1/ })).toContainText(/Failed.*Busy with something/);
    await expect(old.getByRole('row', { name: /agent\.sh 1\.2/ })).toContainText('Done');
    await old.getByRole('button', { name: 'Retry the failed (1)' }).click();
    await expect(old.getByText('2 done.')).toBeVisible();
    await old.getByRole('button', { name: 'Close' }).last().click();
    expect(((await listed(service)) ?? []).map(({ Version }) => Version)).toEqual(['1.0', '1.3', '1.4', '1.0.0']);
  });
});

test('another service: sizes without a unit, no sums, and jobs that do not say what they run', async ({
  signedIn: page,
  service,
}) => {
  await page.route('**/v1/artifact', (route) =>
    route.fulfill({
      json: {
        Artifacts: ['1.0', '1.1'].map((Version, index) => ({
          ArtifactId: `a${index}`,
          Name: 'plain.tar.gz',
          Version,
          Size: 12,
          IsScript: false,
          CreatedTime: `2026-01-0${index + 1}T00:00:00.5+00:00`,
        })),
      },
    }),
  );
  await page.route('**/v1/account', async (route) => {
    const account = (await (await route.fetch()).json()) as object;
    await route.fulfill({ json: { ...account, Capabilities: [] } });
  });
  await page.route('**/v1/job', (route) =>
    route.fulfill({ json: [{ JobId: 'j', JobName: 'old', DeviceId: 'd', StartTime: '', EndTime: '', Result: '' }] }),
  );
  await openArtifacts(page, service, '?name=plain');
  await expect(page.getByText('This service does not report which jobs use an artifact.')).toBeVisible();
  const table = page.getByRole('table', { name: 'Artifacts' });
  await expect(table.getByRole('columnheader')).toHaveText(['Name', 'Version', 'Size', 'Uploaded', 'Actions']);
  await expect(table.getByRole('row', { name: /plain.tar.gz 1.1/ }).last()).toContainText('12');
  await page.getByRole('button', { name: 'Delete plain.tar.gz 1.1' }).click();
  await expect(page.getByRole('dialog')).toContainText(
    'This service does not report which jobs use it. Those that still wait for it will fail',
  );
});
