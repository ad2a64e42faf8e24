// People: invited by a link, and named where they changed something. What an Admin sees and changes of one:
// src/pages/settings/people/people.test.tsx.
import type { Browser, Page } from '@playwright/test';
import { expect, expectAccessible, test, type Service } from './fixtures.ts';
import { fleet, rollOut } from './rolled-out.ts';

// What the browser says of refused requests.
test.use({ ownService: true, expectedConsole: [/status of 40[13]/] });

const PASSWORD = 'green stairs and thunder';

interface Invited {
  PersonId: string;
  InviteUrl: string;
}

const invite = (service: Service, Name: string, Role: string, Groups: string[] = []) =>
  service.call<Invited>('POST', '/v1/people', { Email: `${Name.toLowerCase()}@example.com`, Name, Role, Groups });

/** Accepts an invitation in a browser of its own. */
async function accept(browser: Browser, service: Service, { InviteUrl }: Invited): Promise<Page> {
  const context = await browser.newContext();
  const Code = new URL(InviteUrl).hash.slice('#code='.length);
  const answer = await context.request.post(`${service.url}/auth/accept`, {
    data: { Code, Password: PASSWORD },
    headers: { origin: service.url },
  });
  expect(answer.status()).toBe(200);
  return context.newPage();
}

const personRow = (page: Page, name: string) =>
  page.getByRole('table', { name: 'People' }).getByRole('row', { name: new RegExp(name) });

/** The owner's browser, signed in by the printed link. */
async function openPeople(page: Page, service: Service, at = ''): Promise<void> {
  await page.goto(service.signInLink);
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
  await page.goto(`${service.url}/settings/people${at}`);
}

test('an only person is shown no roles, invites another, and sees the link once @main', async ({
  page,
  service,
  browser,
}) => {
  await service.createDevice('pump 1', 'plant');
  await service.createDevice('fan 1', 'yard');
  await openPeople(page, service);
  await expect(page.getByText('You are the only one here')).toBeVisible();
  await expect(page.getByRole('columnheader', { name: 'Role' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Invite a person' }).click();
  const dialog = page.getByRole('dialog', { name: 'Invite a person' });
  await dialog.getByLabel('E-mail').fill('anna@example.com');
  await dialog.getByLabel('Name').fill('Anna');
  await dialog.getByLabel('Role').selectOption('Deployer');
  await expect(dialog).toContainText('deploys artifacts that are already stored');
  await dialog.getByText('Only some groups').click();
  await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
  await expect(dialog).toContainText('Choose at least one group');
  await dialog.getByRole('combobox', { name: 'Groups' }).fill('pla');
  await page.getByRole('option', { name: 'plant' }).click();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('listbox')).toBeHidden();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
  const link = page.getByRole('dialog', { name: 'Invitation for Anna' });
  await expect(link).toContainText('This service sends no e-mail');
  await expect(link.getByRole('button', { name: 'Done' })).toBeDisabled();
  await link.getByRole('button', { name: 'Reveal' }).click();
  const url = await link.getByLabel('invitation link', { exact: true }).innerText();
  await expectAccessible(page);
  const saved = page.waitForEvent('download');
  await link.getByRole('button', { name: 'Download' }).click();
  await saved;
  await link.getByRole('button', { name: 'Done' }).click();
  await expect(personRow(page, 'Anna')).toContainText('Deployer');
  await expect(personRow(page, 'Anna')).toContainText('Invited');
  expect(await page.content()).not.toContain(url);

  const other = await (await browser.newContext()).newPage();
  await other.goto(url);
  await other.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await other.getByLabel('Password', { exact: true }).press('Enter');
  await expect(other.getByRole('button', { name: 'Signed in as Anna' })).toBeVisible();
  await other.goto(`${service.url}/settings/people`);
  await expect(other.getByText(/needs the role Admin; yours is Deployer/)).toBeVisible();
  await page.reload();
  await expect(personRow(page, 'Anna')).toContainText('Active');
  await other.context().close();
});

test('a device, job, rollout and artifact say who created them and who changed them last', async ({
  page,
  service,
  browser,
}) => {
  const plant = await fleet(service, 1, 0);
  const { units, ArtifactId } = plant;
  const DeviceId = units[0]?.DeviceId ?? '';
  const { JobId } = await service.call<{ JobId: string }>('POST', '/v1/job', { Name: 'Hello', DeviceId, ArtifactId });
  const RolloutId = await rollOut(service, plant, { StartTime: '2100-01-01T00:00:00Z' });
  const read: string[] = [];
  page.on('request', (request) => read.push(new URL(request.url()).pathname));
  await openPeople(page, service);
  await page.goto(`${service.url}/devices/${DeviceId}`);
  await expect(page.getByRole('list', { name: 'Timeline' })).toBeVisible();
  await expect.poll(() => read).toContain('/v1/me');
  expect(read, 'an only person has nobody to tell apart').not.toContain('/v1/audit/origin');

  const hers = await accept(browser, service, await invite(service, 'Anna', 'Operator'));
  for (const [path, method, data] of [
    [`devices/${DeviceId}`, 'PATCH', { CustomerName: 'Acme' }],
    [`rollout/${RolloutId}/pause`, 'POST', { Version: 1 }],
    [`job/${JobId}/stop`, 'POST', undefined],
  ] as const) {
    const headers = { origin: service.url };
    expect((await hers.context().request.fetch(`${service.url}/v1/${path}`, { method, data, headers })).status()).toBe(
      200,
    );
  }
  await hers.context().close();
  for (const path of [`devices/${DeviceId}`, `rollouts/${RolloutId}`, `jobs/${JobId}`]) {
    await page.goto(`${service.url}/${path}`);
    const line = page.getByText(/^Created by Token AUTH_TOKEN, .* · last changed by Anna, /);
    await expect(line, path).toBeVisible();
  }
  await page.goto(`${service.url}/artifacts/${ArtifactId}`);
  await expect(page.getByRole('group', { name: /^Details of/ })).toContainText(/Uploaded.* by Token AUTH_TOKEN/);
  await page.goto(`${service.url}/devices/${DeviceId}`);
  await expectAccessible(page);
  await page.getByRole('link', { name: 'last changed' }).click();
  await expect(
    page.getByRole('table', { name: 'Audit log' }).getByRole('row', { name: /Changed device/ }),
  ).toContainText('Anna');
});
