// The first stops of Tab on a list page.
import { createMany } from './bulk-actions.ts';
import { expect, test } from './fixtures.ts';

test('the first row is three Tabs away, filters and actions have links, too, and a page without a table none to it', async ({
  signedIn: page,
  service,
}) => {
  await createMany(service, 2);
  await page.goto(`${service.url}/devices`);
  await expect(page.getByRole('link', { name: 'device 1' })).toBeVisible();
  const skip = (name: string) => page.getByRole('button', { name });
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(skip('Skip to the filters')).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(skip('Skip to the table')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('table').getByRole('link', { name: 'device 1' })).toBeFocused();

  await skip('Skip to the actions').focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Views' })).toBeFocused();
  await skip('Skip to the filters').focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('textbox', { name: /^Search devices/ })).toBeFocused();

  await page.goto(`${service.url}/settings/appearance`);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
  await expect(skip('Skip to the table')).toHaveCount(0);
});
