// API tokens with a role, groups, an owner and an expiry.
import type { Page } from '@playwright/test';
import { expect, expectAccessible, test, type Service } from './fixtures.ts';
import { signInAs } from './roles.ts';

const table = (page: Page) => page.getByRole('table', { name: 'API tokens' });

async function openDialog(page: Page, service: Service) {
  await page.goto(`${service.url}/settings/tokens`);
  await page.getByRole('button', { name: 'Create token' }).click();
  return page.getByRole('dialog', { name: 'Create API token' });
}

/** Reads the token that is shown once, and closes the dialog. */
async function shownToken(page: Page, name: string): Promise<string> {
  const once = page.getByRole('dialog', { name: `API token “${name}”` });
  await once.getByRole('button', { name: 'Reveal' }).click();
  const token = await once.getByLabel('API token', { exact: true }).innerText();
  const download = page.waitForEvent('download');
  await once.getByRole('button', { name: 'Download' }).click();
  await download;
  await once.getByRole('button', { name: 'Done' }).click();
  await expect(once).toBeHidden();
  return token;
}
interface Me {
  PersonId?: string;
  Role: string;
  Groups: string[];
}
const meOf = async (service: Service, token: string): Promise<Me> =>
  (await (await fetch(`${service.url}/v1/me`, { headers: { authorization: `Bearer ${token}` } })).json()) as Me;

test('the only person sees no roles until a token is limited, and the name of the account beside the page', async ({
  signedIn: page,
  service,
}) => {
  await service.call('PATCH', '/v1/account', { Name: 'Plant South' });
  await service.createDevice('one', 'plant-a');
  const make = await openDialog(page, service);
  await expect(table(page)).toBeAttached();
  await expect(page.getByRole('columnheader', { name: 'Role', includeHidden: true })).toHaveCount(0);
  await make.getByLabel('Name').fill('CI');
  await make.getByLabel('Role').selectOption('Deployer');
  await make.getByText('Only some groups').click();
  await make.getByRole('combobox', { name: 'Groups' }).fill('plant-a');
  await make.getByRole('combobox', { name: 'Groups' }).press('Enter');
  await make.getByLabel('Confirm it’s you').fill(service.token);
  await expectAccessible(page);
  await make.getByRole('button', { name: 'Create token' }).click();
  const token = await shownToken(page, 'CI');
  const row = table(page).getByRole('row', { name: /CI/ });
  await expect(row).toContainText('Deployer');
  await expect(row).toContainText('plant-a');
  const { Role, Groups } = await meOf(service, token);
  expect([Role, Groups]).toEqual(['Deployer', ['plant-a']]);
  await expect(page.getByRole('navigation', { name: 'Main' }).getByText('Plant South')).toBeVisible();
});

test('a person makes a token with the password, and gives it their own role at most', async ({ page, service }) => {
  const { id, password } = await signInAs(page, service, 'Operator');
  const make = await openDialog(page, service);
  await make.getByLabel('Name').fill('mine');
  await expect(make.getByLabel('Role').getByRole('option')).toHaveText(['Viewer', 'Deployer', 'Operator']);
  await make.getByLabel('Role').selectOption('Operator');
  await make.getByLabel('Your password').fill(password);
  await make.getByRole('button', { name: 'Create token' }).click();
  const token = await shownToken(page, 'mine');
  await expect(table(page).getByRole('row', { name: /mine/ })).toContainText('You');
  const { Role, PersonId } = await meOf(service, token);
  expect([Role, PersonId]).toEqual(['Operator', id]);
});
