// What another service may name as it likes: two rows with one id, ids that no URL can hold, secrets in what jobs run.
import { expect, test } from './fixtures.ts';

const tunnel = (Name: string, DeviceName: string) => ({
  Name,
  DeviceId: 'd1',
  DeviceName,
  DeviceStatus: 'Online',
  PublicUrl: `http://${Name === '.' ? 'dot' : Name}.tunnels.example/`,
  LocalDest: 'http://127.0.0.1:80',
  Protocol: 'HTTP',
  Created: '2026-01-01 00:00:00',
  Uptime: '1m',
});

test('rows with one id stay as many as they are, however often they are read @sweep', async ({
  signedIn: page,
  service,
}) => {
  let readings = 0;
  await page.route('**/v1/tunnels', (route) => {
    readings += 1;
    const rows = [tunnel('twin', `first ${readings}`), tunnel('twin', `second ${readings}`), tunnel('own', 'third')];
    return route.fulfill({ json: readings % 2 ? rows : rows.toReversed() });
  });
  await page.clock.install();
  await page.goto(service.url + '/tunnels');
  const rows = page.getByRole('table', { name: 'Tunnels' }).getByRole('row');
  await expect(rows).toHaveCount(4);
  for (let round = 0; round < 4; round++) {
    const before = readings;
    await page.clock.runFor(20_000);
    // The clock runs on by itself too, so a later reading than the next may be the one that is shown.
    const shown = async () =>
      Number((await page.getByRole('link', { name: /^first \d+$/ }).innerText()).match(/\d+/)?.[0]);
    await expect.poll(shown).toBeGreaterThan(before);
    await expect(rows).toHaveCount(4);
  }
});

test('an id that no request can name takes its actions away, and not the page @sweep', async ({
  signedIn: page,
  service,
}) => {
  await page.route('**/v1/tunnels', (route) => route.fulfill({ json: [tunnel('.', 'odd'), tunnel('fine', 'even')] }));
  await page.goto(service.url + '/tunnels');
  await expect(page.getByRole('link', { name: 'odd' })).toBeVisible();
  const remove = page.getByRole('button', { name: 'Delete .', exact: true });
  await expect(remove).toHaveAttribute('aria-disabled', 'true');
  await expect(remove).toHaveAccessibleDescription(/no request can name/);
  await remove.click({ force: true });
  await expect(page.getByRole('dialog')).toBeHidden();
  // The address of the dialog is no way around it.
  await page.goto(service.url + '/tunnels?dialog=delete&tunnel=.');
  await expect(page.getByRole('button', { name: 'Delete fine' })).toBeVisible();
});

test('of two devices with one name, the dialog says which is deleted @sweep', async ({ signedIn: page, service }) => {
  const [one, other] = [await service.createDevice('same name'), await service.createDevice('same name')];
  for (const { DeviceId } of [one, other]) {
    await page.goto(`${service.url}/devices/${DeviceId}?dialog=delete`);
    const dialog = page.getByRole('dialog', { name: 'Delete same name?' });
    await expect(dialog.getByTitle(DeviceId)).toBeVisible();
  }
});

test('a job shows its Command without the token of the download, and says where one is that works @sweep', async ({
  signedIn: page,
  service,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const { DeviceId } = await service.createDevice('waits');
  const ArtifactId = await service.uploadScript('setup.sh', 'echo done', '/tmp');
  const { JobId } = await service.call<{ JobId: string }>('POST', '/v1/job', { Name: 'setup', DeviceId, ArtifactId });
  const { Command } = await service.call<{ Command: string }>('GET', `/v1/job/${JobId}`);
  const token = /[?&]token=([\w-]+)/.exec(Command)?.[1] ?? '';
  expect(token.length).toBeGreaterThan(20);
  await page.goto(`${service.url}/jobs/${JobId}`);
  await page.getByText('Command', { exact: true }).click();
  const shown = page.getByLabel('Command', { exact: true });
  await expect(shown).toContainText('token=•');
  await expect(page.getByText('The download token is hidden')).toBeVisible();
  expect(await page.content()).not.toContain(token);
  await page.getByRole('button', { name: 'Copy command' }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).not.toContain(token);
});
