// The dashboard in front of a service with odd rows and names, and in front of one that allows only the headers that the
// document names.
import { expect } from './fixtures.ts';
import { startFileHost } from './foreign/file-host.ts';
import { before } from './foreign/gateway.ts';
import { ODD_TUNNELS, startOddRows } from './foreign/odd-rows.ts';

const test = before(startOddRows);

test('a bad row is left out of its list, and the page says so @sweep', async ({ signedIn: page, service }) => {
  const note = page.getByText('The service sent rows that cannot be read. Lists are shown without them.');
  for (const [path, good] of [
    ['devices', ['fan-1', 'fan-2', 'half']],
    ['artifacts', ['fan.tar.gz']],
    ['tunnels', ['lab/cam 1']],
  ] as const) {
    await page.goto(`${service.url}/${path}`);
    for (const name of good) await expect(page.getByRole('row').filter({ hasText: name }).first()).toBeVisible();
    await expect(note, path).toBeVisible();
    await expect(page.getByRole('main'), path).not.toContainText('Unexpected response');
  }
});

test('a tunnel is deleted whatever its name holds @sweep', async ({ signedIn: page, service, foreign }) => {
  await page.goto(`${service.url}/tunnels`);
  for (const name of ODD_TUNNELS) {
    await page.getByRole('button', { name: `Delete ${name}`, exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete tunnel' }).click();
    await expect(page.getByRole('button', { name: `Delete ${name}`, exact: true })).toHaveCount(0);
  }
  const deleted = foreign.heard.filter(({ method }) => method === 'DELETE').map(({ url }) => url);
  expect(deleted).toEqual(ODD_TUNNELS.map((name) => `/v1/tunnels/${encodeURIComponent(name)}`));
});

test('from a plain file host a create has only the headers of the document @sweep', async ({
  browser,
  foreign,
  service,
  tokenGuard,
}) => {
  const host = await startFileHost(foreign.url);
  tokenGuard.allow(foreign.url);
  foreign.allow(host.url);
  const page = await browser.newPage();
  await page.goto(`${host.url}/workflows?dialog=create`);
  await page.getByLabel('API token').fill(service.token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('restart');
  await dialog.getByRole('textbox', { name: 'Command' }).fill('/bin/true');
  await dialog.getByRole('button', { name: 'Create workflow' }).click();
  await expect(dialog).toBeHidden();
  const [sent] = foreign.heard.filter(({ method, url }) => method === 'POST' && url === '/v1/workflow');
  expect(sent?.headers['idempotency-key']).toBeUndefined();
  await page.close();
  await host.close();
});
