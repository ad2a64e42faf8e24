// What people with less than everything see of the dashboard, and what they cannot do in it: by mouse, keyboard, palette,
// drop or address.
import type { Page } from '@playwright/test';
import { expectBlocked, shownReason } from './blocked.ts';
import { expect, expectAccessible, openSession, signIn, test, type Service } from './fixtures.ts';
import { signInAs } from './roles.ts';

test.use({ ownService: true });

/** A device in the viewer's group and one in another, something to deploy, and a job on each device. */
async function twoPlants(service: Service) {
  const mine = await service.createDevice('mine-1', 'plant-a');
  const foreign = await service.createDevice('secret-1', 'plant-b');
  const artifact = await service.uploadScript('hello.sh', '#!/bin/sh\necho hi\n', '/tmp/hello');
  await service.call('POST', '/v1/workflow', { Name: 'Restart', Command: 'true' });
  const job = (Name: string, DeviceId: string) =>
    service.call<{ JobId: string }>('POST', '/v1/job', { Name, DeviceId, ArtifactId: artifact });
  const [own, other] = [await job('own job', mine.DeviceId), await job('secret job', foreign.DeviceId)];
  return { mine: mine.DeviceId, foreign: foreign.DeviceId, artifact, own: own.JobId, other: other.JobId };
}

/** Playwright does not click what is disabled, as people do. */
const ANYWAY = { force: true };

/** What the page sends to change something. */
function writesOf(page: Page): string[] {
  const writes: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET' && !request.url().endsWith('/v1/rollout/plan'))
      writes.push(`${request.method()} ${new URL(request.url()).pathname}`);
  });
  return writes;
}

const needs = (doing: string, role = 'Deployer', own = 'Viewer') => `${doing} needs the role ${role}; yours is ${own}.`;

test('a viewer sees each action of a device disabled, with the reason @main', async ({ page, service }) => {
  const { mine } = await twoPlants(service);
  await signInAs(page, service, 'Viewer', 'plant-a');
  const writes = writesOf(page);
  await page.goto(`${service.url}/devices/${mine}`);
  const button = (name: string) => page.getByRole('button', { name, exact: true }).first();
  await expectBlocked(button('Deploy'), needs('Deploying'));
  await expectBlocked(button('Edit'), needs('Editing devices'));
  await expectBlocked(button('New key'), needs('Creating a new key', 'Admin'));
  await expectBlocked(button('Delete'), needs('Deleting devices'));
  await expectBlocked(button('Edit group'), needs('Editing devices'));
  await expectBlocked(button('Set location'), needs('Setting a location'));
  await expect(page.getByText(needs('Writing notes'))).toBeVisible();
  await expect(page.getByText(needs('Tagging devices'))).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Note' })).toHaveCount(0);
  // Neither a click nor a key opens anything; both say why, as does the mouse.
  await button('Delete').click(ANYWAY);
  await expect(shownReason(page)).toHaveText(needs('Deleting devices'));
  await page.keyboard.press('Escape');
  await expect(shownReason(page)).toHaveCount(0);
  await button('Edit').press('Enter');
  await expect(shownReason(page)).toHaveText(needs('Editing devices'));
  await page.getByRole('heading', { level: 1 }).click();
  await expect(shownReason(page)).toHaveCount(0);
  await button('Delete').hover(ANYWAY);
  await expect(shownReason(page)).toHaveText(needs('Deleting devices'));
  await shownReason(page).hover();
  await expect(shownReason(page)).toHaveText(needs('Deleting devices'));
  await page.getByRole('heading', { level: 1 }).hover();
  await expect(shownReason(page)).toHaveCount(0);
  await expect(page.getByRole('dialog')).toHaveCount(0);
  expect(new URL(page.url()).search).toBe('');
  expect(writes).toEqual([]);
  await expectAccessible(page);
});

test('the overview, the palette and the menu of a row offer and ask for only what a viewer may', async ({
  page,
  service,
}) => {
  await twoPlants(service);
  await signInAs(page, service, 'Viewer', 'plant-a');
  // A refused request is an error in the console, which ends every test.
  const read = page.waitForResponse((answer) => answer.url().endsWith('/v1/me'));
  await page.goto(service.url);
  await read;
  await expect(page.getByRole('region', { name: 'Fleet' })).toContainText('none connected yet');
  await page.goto(`${service.url}/settings/usage`);
  await expect(page.getByRole('heading', { name: 'Usage' })).toBeVisible();

  await page.goto(`${service.url}/jobs`);
  await page.keyboard.press('Control+k');
  const search = page.getByRole('combobox', { name: /^Find pages/ });
  await search.fill('add a device');
  // It has the number of devices once the fleet has been read.
  const everyMatch = page.getByRole('option', { name: /^(?:Filter devices by this text|All 0 matching devices)$/ });
  await expect(everyMatch).toBeVisible();
  await expect(page.getByRole('option', { name: /Add a device/ })).toHaveCount(0);
  await search.fill('deploy');
  await expect(page.getByRole('option', { name: /^Jobs/ })).toBeVisible();
  await expect(page.getByRole('group', { name: 'Actions' }).getByRole('option', { name: /^Deploy/ })).toHaveCount(0);

  await page.goto(`${service.url}/devices`);
  await page.getByRole('button', { name: 'Actions for mine-1' }).click();
  const menu = page.getByRole('menu');
  const edit = menu.getByRole('menuitem', { name: 'Edit' });
  await expect(edit).toHaveAttribute('aria-disabled', 'true');
  await menu.getByRole('menuitem', { name: 'Open' }).focus();
  await page.keyboard.press('ArrowDown');
  await expect(edit).toBeFocused();
  await expectAccessible(page, '[role="menu"]');
  await page.keyboard.press('Enter');
  await expect(shownReason(page)).toHaveText(needs('Editing devices'));
  await expect(menu).toBeVisible();
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

test('a link to a dialog shows the reason instead of a form', async ({ page, service }) => {
  const { mine, artifact, own } = await twoPlants(service);
  await signInAs(page, service, 'Viewer', 'plant-a');
  const writes = writesOf(page);
  for (const at of [
    '/devices?dialog=add',
    '/devices?dialog=add-this-machine',
    `/devices/${mine}?dialog=edit`,
    `/devices/${mine}?dialog=locate`,
    `/devices/${mine}?dialog=delete`,
    `/devices/${mine}?dialog=new-key`,
    '/artifacts?dialog=build',
    `/artifacts?dialog=delete&artifact=${artifact}`,
    '/artifacts?dialog=old',
    '/workflows?dialog=create',
    `/jobs?dialog=stop&job=${own}`,
    `/jobs/${own}?dialog=delete`,
    '/rollouts/orders?dialog=edit',
    '/activity/alerts?dialog=channel',
  ])
    await test.step(at, async () => {
      await page.goto(service.url + at);
      const dialog = page.getByRole('dialog');
      await expect(dialog).toContainText(/ needs the role \w+; yours is Viewer\./);
      await expect(dialog.getByRole('textbox')).toHaveCount(0);
      await expect(dialog.getByRole('button')).toHaveText(['', 'Close']);
      await dialog.getByRole('button', { name: 'Close' }).last().click();
      await expect(dialog).toBeHidden();
    });
  expect(writes).toEqual([]);
});

test('files that a deployer drops on the artifacts are refused with the reason, and an empty list names the groups of the role', async ({
  page,
  service,
}) => {
  await twoPlants(service);
  await signInAs(page, service, 'Deployer');
  const writes = writesOf(page);
  await page.goto(`${service.url}/artifacts`);
  const reason = needs('Uploading artifacts', 'Operator', 'Deployer');
  await expect(page.getByText(reason)).toBeVisible();
  await expectBlocked(page.getByRole('button', { name: 'Build from a folder' }), reason);
  await expectBlocked(page.getByRole('button', { name: 'Browse files' }), reason);
  await page.evaluate(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['#!/bin/sh\n'], 'evil.sh'));
    globalThis.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  });
  await expect(page.getByRole('button', { name: 'Browse files' })).toBeVisible();
  await expect(page.getByText('evil.sh')).toHaveCount(0);
  expect(writes).toEqual([]);
  await expectAccessible(page);

  await signInAs(page, service, 'Deployer', 'plant-a', 'plant-c');
  await page.goto(`${service.url}/rollouts`);
  await expect(page.getByText('Your role covers the groups plant-a and plant-c.')).toBeVisible();
});

test('a deployer deploys an artifact, but neither a workflow nor a preflight, and adds devices and alert rules to the own groups only', async ({
  page,
  service,
}) => {
  const { mine, foreign, artifact } = await twoPlants(service);
  await service.call('PATCH', `/v1/devices/${mine}`, { CustomerSite: 'Dock 4' });
  await service.call('PATCH', `/v1/devices/${foreign}`, { CustomerSite: 'Secret yard' });
  await signInAs(page, service, 'Deployer', 'plant-a');
  await page.goto(`${service.url}/deploy?device=${mine}&workflow=`);
  const reason = needs('Deploying a workflow', 'Operator', 'Deployer');
  const deploy = page.getByRole('button', { name: 'Deploy', exact: true });
  await expectBlocked(deploy, reason);
  await page.getByRole('heading', { name: 'Safety' }).click();
  const check = page.getByRole('checkbox', { name: 'Run a pre-check' });
  await expect(check).toHaveAttribute('aria-disabled', 'true');
  await check.press('Space');
  await expect(check).not.toBeChecked();

  await page.goto(`${service.url}/deploy?device=${mine}&artifact=${artifact}`);
  await expect(deploy).toBeEnabled();
  await deploy.click();
  await expect(page.getByRole('heading', { level: 1, name: /hello\.sh/ })).toBeVisible();

  // The form may be there before it is known who fills it in.
  const known = Promise.withResolvers<void>();
  await page.route('**/v1/me', async (route) => {
    await known.promise;
    await route.continue();
  });
  await page.goto(`${service.url}/devices?dialog=add`);
  const dialog = page.getByRole('dialog', { name: 'Add a device' });
  const groups = dialog.getByRole('combobox', { name: 'Group' });
  await expect(dialog.getByLabel('Name')).toBeVisible();
  known.resolve();
  await expect(groups.getByRole('option')).toHaveText(['plant-a']);
  await dialog.getByLabel('Name').fill('mine-2');
  await dialog.getByRole('button', { name: 'Add device' }).click();
  await expect(page.getByRole('dialog', { name: 'Connect mine-2' })).toBeVisible();

  await page.goto(`${service.url}/devices/${mine}`);
  await expectBlocked(page.getByRole('button', { name: 'Edit group' }), 'Your role covers the group plant-a only.');

  await page.unroute('**/v1/me');
  await page.goto(`${service.url}/activity/alerts?dialog=rule`);
  const rule = page.getByRole('dialog', { name: 'Create rule' });
  const group = rule.getByRole('combobox', { name: 'Group' });
  const options = page.getByRole('listbox').getByRole('option').filter({ visible: true });
  await expect(group).toHaveValue('plant-a');
  await expect(rule.getByRole('button', { name: 'Clear the group' })).toHaveCount(0);
  await group.click();
  await expect(options).toHaveText(['plant-a']);
  await page.keyboard.press('Escape');
  await rule.getByRole('combobox', { name: 'Site' }).click();
  await expect(options).toHaveText(['Dock 4']);
});

test('a viewer of one group finds no name of another on any page', async ({ page, service, browser }) => {
  const { mine, foreign, own, other } = await twoPlants(service);
  const limited = await (await browser.newContext()).newPage();
  await signInAs(limited, service, 'Viewer', 'plant-a');
  await signIn(page, service);
  for (const at of [
    '/',
    '/devices',
    '/map',
    `/devices/${mine}`,
    '/artifacts',
    '/workflows',
    `/deploy?device=${mine}`,
    '/jobs',
    `/jobs/${own}`,
    '/rollouts',
    '/rollouts/orders',
    '/queues',
    '/archive',
    '/tunnels',
    '/activity',
    '/activity/availability',
    '/activity/alerts',
    '/bulk',
  ])
    await test.step(at, async () => {
      await limited.goto(service.url + at);
      await expect(limited.getByRole('heading', { level: 1 }).first()).toBeVisible();
      await expect(limited.locator('[data-reading], [aria-busy="true"]')).toHaveCount(0);
      await expect(limited.locator('body')).not.toContainText(/secret|plant-b/);
      expect(await limited.content()).not.toMatch(/secret|plant-b/);
    });
  // Who is not limited sees them.
  await page.goto(`${service.url}/jobs`);
  await expect(page.getByText('secret job')).toBeVisible();
  await limited.goto(`${service.url}/devices/${foreign}`);
  await expect(limited.getByRole('heading', { name: 'No such device' })).toBeVisible();
  await limited.goto(`${service.url}/jobs/${other}`);
  await expect(limited.getByText('There is no such job')).toBeVisible();
  await limited.context().close();
});

test.describe('with refused requests', () => {
  // The browser logs each of them to the console.
  test.use({ expectedConsole: [/status of 40[13]/] });

  test('a tag that reaches outside the groups is deployed to one’s own devices only; a role that shrinks ends the session', async ({
    page,
    service,
  }) => {
    const { mine, foreign, artifact } = await twoPlants(service);
    await service.call('POST', '/v1/tag/pumps');
    const [{ TagId }] = await service.call<[{ TagId: string }]>('GET', '/v1/tag');
    for (const id of [mine, foreign]) await service.call('POST', `/v1/devices/${id}/tag/${TagId}`);
    const { id, email, password } = await signInAs(page, service, 'Deployer', 'plant-a');
    await page.goto(`${service.url}/deploy?tag=${TagId}&artifact=${artifact}`);
    await page.getByRole('button', { name: 'Deploy', exact: true }).click();
    const refusal = page.getByRole('alert').filter({ hasText: 'reaches devices outside your groups' });
    await expect(refusal).toContainText('Your role covers the group plant-a.');
    await refusal.getByRole('button', { name: 'Deploy to only mine (1 device)' }).click();
    await expect(page).toHaveURL(/selection=/);
    await expect(page.getByRole('table').getByText('mine-1')).toBeVisible();
    await page.getByRole('button', { name: 'Deploy', exact: true }).click();
    await expect(page).toHaveURL(/\/jobs\//);
    await expect(page.locator('body')).not.toContainText('secret-1');

    await page.goto(`${service.url}/devices/${mine}`);
    await expect(page.getByRole('link', { name: 'Edit', exact: true })).toBeVisible();
    await service.call('PATCH', `/v1/people/${id}`, { Role: 'Viewer' });
    await expect(page.getByRole('dialog', { name: 'You’ve been signed out' })).toBeVisible();
    await openSession(page, service, '/auth/session', { Email: email, Password: password });
    await page.goto(`${service.url}/devices/${mine}`);
    await expectBlocked(page.getByRole('button', { name: 'Edit', exact: true }), needs('Editing devices'));
  });
});
